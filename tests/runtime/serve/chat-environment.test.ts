import { describe, expect, it } from 'vitest';
import { secretValues } from '../../../src/foreign/redact.js';
import { Secret } from '../../../src/investigate/safety/redactor.js';
import { NO_SETTINGS } from '../../../src/investigate/server/investigator.js';
import { chatEnvironment } from '../../../src/runtime/serve/chat-environment.js';

const OPERATOR = {
  JAEGER_URL: 'http://jaeger',
  JAEGER_AUTH: 'Basic operator',
  GITHUB_TOKEN: 'operator',
  PATH: '/bin',
};

describe('the environment of a conversation', () => {
  it("is the operator's where nothing was set", () => {
    expect(chatEnvironment(OPERATOR, NO_SETTINGS)).toEqual(OPERATOR);
  });

  it('prefers what the conversation has set', () => {
    const secrets = { github_token: new Secret('own'), jaeger_auth: new Secret('Basic own') };
    expect(chatEnvironment(OPERATOR, { ...NO_SETTINGS, secrets })).toMatchObject({
      INVESTIGATE_GITHUB_TOKEN: 'own',
      INVESTIGATE_JAEGER_AUTH: 'Basic own',
    });
  });

  it("sends the operator's credential to no address out of a chat", () => {
    const env = chatEnvironment(
      { ...OPERATOR, INVESTIGATE_JAEGER_AUTH: 'Basic operator' },
      { ...NO_SETTINGS, jaeger_url: 'http://other' },
    );
    expect(env).toMatchObject({
      INVESTIGATE_JAEGER_URL: 'http://other',
      INVESTIGATE_JAEGER_AUTH: '',
      JAEGER_AUTH: '',
    });
    expect(Object.values(env)).not.toContain('Basic operator');
  });

  it('lets masking still know what was replaced', () => {
    const before = { LOKI_AUTH: 'Basic b3BlcmF0b3I=', INVESTIGATE_GITHUB_TOKEN: 'ghp_operator' };
    const secrets = { github_token: new Secret('ghp_own') };
    const env = chatEnvironment(before, { ...NO_SETTINGS, loki_url: 'http://other', secrets });
    expect(secretValues(env)).toEqual(expect.arrayContaining(['b3BlcmF0b3I=', 'ghp_operator']));
  });
});
