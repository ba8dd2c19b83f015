import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../src/investigate/safety/redactor.js';
import { type ChatSettings, NO_SETTINGS } from '../../../src/investigate/server/investigator.js';
import { investigateSettings } from '../../../src/runtime/investigate/settings.js';
import { withChatSettings } from '../../../src/runtime/serve/chat-settings.js';

const OPERATOR = investigateSettings({
  env: {
    JAEGER_URL: 'http://jaeger',
    JAEGER_AUTH: 'Basic operator',
    LOKI_AUTH: 'Basic b3BlcmF0b3I=',
    GITHUB_TOKEN: 'ghp_operator',
  },
  cwd: tmpdir(),
  sessionDir: null,
});

function chat(change: Partial<ChatSettings>) {
  const { config, services, masked } = withChatSettings(OPERATOR, { ...NO_SETTINGS, ...change });
  const { jaegerUrl, lokiUrl, chatOrigins } = config;
  const revealed = Object.fromEntries(Object.entries(services).map(([name, one]) => [name, one.reveal()]));
  return { jaegerUrl, lokiUrl, chatOrigins, masked, ...revealed };
}

describe('the settings of a conversation', () => {
  it("are the operator's where nothing was set", () => {
    expect(withChatSettings(OPERATOR, NO_SETTINGS)).toEqual(OPERATOR);
  });

  it('prefer what the conversation has set', () => {
    const secrets = { github_token: new Secret('own'), jaeger_auth: new Secret('Basic own') };
    expect(chat({ secrets })).toMatchObject({
      jaegerUrl: 'http://jaeger',
      jaegerAuth: 'Basic own',
      githubToken: 'own',
      chatOrigins: [],
    });
  });

  it("send the operator's credential to no address out of a chat, and know where it came from", () => {
    const settings = chat({ jaeger_url: 'http://other' });
    expect(settings).toMatchObject({ jaegerUrl: 'http://other', chatOrigins: ['jaeger'] });
    expect(settings).not.toHaveProperty('jaegerAuth');
    expect(settings).toMatchObject({ lokiAuth: 'Basic b3BlcmF0b3I=' });
  });

  it('still mask what was replaced, and what came in its place', () => {
    const secrets = { github_token: new Secret('ghp_own'), loki_auth: new Secret('Bearer own-value') };
    const { masked } = chat({ loki_url: 'http://other', secrets });
    expect(masked).toEqual(
      expect.arrayContaining(['b3BlcmF0b3I=', 'ghp_operator', 'ghp_own', 'Bearer own-value', 'own-value']),
    );
  });
});
