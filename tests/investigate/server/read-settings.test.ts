import { describe, expect, it } from 'vitest';
import { readServerSettings } from '../../../src/investigate/server/read-settings.js';

const TOKEN = 'a-token-that-is-long-enough';

describe('settings of the server', () => {
  it('are safe without any', () => {
    expect(readServerSettings({})).toEqual({
      settings: {
        host: '127.0.0.1',
        port: 8000,
        token: null,
        allowedHosts: [],
        maxConcurrent: 2,
        detachMs: 60_000,
        allowChatUrls: false,
        urlAllowlist: [],
      },
      errors: [],
    });
  });

  it('come from the environment, and flags win', () => {
    const env = {
      INVESTIGATE_HOST: '::1',
      INVESTIGATE_PORT: '9000',
      INVESTIGATE_TOKEN: TOKEN,
      INVESTIGATE_ALLOWED_HOSTS: 'Agent.example, other.example,',
      INVESTIGATE_DETACH_S: '5',
      INVESTIGATE_ALLOW_CHAT_URLS: 'true',
    };
    const { settings, errors } = readServerSettings(env, { port: '0', host: '127.0.0.2' });
    expect(errors).toEqual([]);
    expect(settings).toMatchObject({
      host: '127.0.0.2',
      port: 0,
      token: TOKEN,
      allowedHosts: ['agent.example', 'other.example'],
      detachMs: 5000,
      allowChatUrls: true,
    });
  });

  it.each(['0.0.0.0', '::', '192.0.2.1', 'agent.example'])(
    'ask for a token where %s is listened on',
    (host) => {
      expect(readServerSettings({ INVESTIGATE_HOST: host }).errors).toHaveLength(1);
      expect(readServerSettings({ INVESTIGATE_HOST: host, INVESTIGATE_TOKEN: TOKEN }).errors).toEqual([]);
    },
  );

  it.each(['127.0.0.1', 'localhost', '[::1]', '127.1.2.3'])('ask for none on %s', (host) => {
    expect(readServerSettings({}, { host }).errors).toEqual([]);
  });

  it.each([
    ['INVESTIGATE_PORT', 'http'],
    ['INVESTIGATE_PORT', '65536'],
    ['INVESTIGATE_PORT', '-1'],
    ['INVESTIGATE_MAX_CONCURRENT', '0'],
    ['INVESTIGATE_TOKEN', 'short'],
  ])('name %s when it is %s', (name, value) => {
    expect(readServerSettings({ [name]: value }).errors.join()).toContain(name);
  });
});
