import { describe, expect, it } from 'vitest';
import { readServerSettings } from '../../../src/investigate/server/read-settings.js';

const TOKEN = 'a-token-that-is-long-enough';

describe('settings of the page', () => {
  it('are safe without any', () => {
    expect(readServerSettings({}, null)).toEqual({
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

  it('come from the configuration, names of hosts in lower case', () => {
    const values = {
      investigate_host: '::1',
      investigate_port: 9000,
      investigate_allowed_hosts: ['Agent.example', 'other.example'],
      investigate_detach_s: 5,
      investigate_allow_chat_urls: true,
      investigate_url_allowlist: ['Jaeger.Example'],
    };
    expect(readServerSettings(values, TOKEN)).toMatchObject({
      settings: {
        host: '::1',
        port: 9000,
        token: TOKEN,
        allowedHosts: ['agent.example', 'other.example'],
        detachMs: 5000,
        allowChatUrls: true,
        urlAllowlist: ['jaeger.example'],
      },
      errors: [],
    });
  });

  it.each(['0.0.0.0', '::', '192.0.2.1', 'agent.example'])(
    'ask for a token where %s is listened on',
    (host) => {
      const values = { investigate_host: host };
      expect(readServerSettings(values, null).errors).toEqual([
        expect.stringMatching(/INVESTIGATE_TOKEN .* must be set/),
      ]);
      expect(readServerSettings(values, TOKEN).errors).toEqual([]);
    },
  );

  it.each(['127.0.0.1', 'localhost', '[::1]', '127.1.2.3'])('ask for none on %s', (host) => {
    expect(readServerSettings({ investigate_host: host }, null).errors).toEqual([]);
  });

  it('refuse a short token without showing it', () => {
    const [error = ''] = readServerSettings({}, 'short').errors;
    expect(error).toContain('INVESTIGATE_TOKEN');
    expect(error).toContain('5 characters');
    expect(error).not.toContain('short');
  });
});
