import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applySettings, type ChatPolicy } from '../../../src/investigate/server/apply-settings.js';
import { readChatMessage } from '../../../src/investigate/server/chat-message.js';
import { NO_SETTINGS } from '../../../src/investigate/server/investigator.js';

const GITHUB_TOKEN = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
const E2B_KEY = 'e2b_0123456789abcdef0123456789abcdef01234567';
const CLOSED: ChatPolicy = { allowChatUrls: false, urlAllowlist: [] };

function settingsOf(message: string, before = NO_SETTINGS, policy = CLOSED) {
  return applySettings(before, readChatMessage(message), policy);
}

describe('a chat message', () => {
  it('loses its settings and keeps its other lines, trimmed', () => {
    const read = readChatMessage(
      '  Service_Name : cart \n\n the cart fails: 500 \r\n  since 14:20\nREPO: acme/shop',
    );
    expect(read.issue).toBe('the cart fails: 500\nsince 14:20');
    expect(read.texts).toEqual({ service_name: 'cart', repo: 'acme/shop' });
    expect(read.hasKeys).toBe(true);
  });

  it('lets the last line of a key win, and a line without a value change nothing', () => {
    expect(readChatMessage('repo: a/b\nrepo: c/d').texts.repo).toBe('c/d');
    const read = readChatMessage('repo:');
    expect(read).toMatchObject({ hasKeys: true, texts: {}, issue: '' });
  });

  it('splits at the first colon and knows the short name of a key', () => {
    expect(readChatMessage('jaeger_auth: Basic a:b').secrets.jaeger_auth?.reveal()).toBe('Basic a:b');
    expect(readChatMessage(`e2b_key: ${E2B_KEY}`).secrets.e2b_api_key?.reveal()).toBe(E2B_KEY);
  });

  it.each(['time: 14:20', 'error: repo: missing', 'https://example.org/', 'repository: a/b'])(
    'takes %j for text',
    (line) => {
      expect(readChatMessage(line)).toMatchObject({ hasKeys: false, issue: line });
    },
  );

  it('takes out the key of a service that is gone', () => {
    const read = readChatMessage('tavily_key: tvly-0123456789\nit fails');
    expect(read.issue).toBe('it fails');
    expect(read.notices).toEqual(['tavily_key is not used and was taken out.']);
  });

  it.each([
    `my GitHub token is ${GITHUB_TOKEN}`,
    `github_token=${GITHUB_TOKEN}`,
    `use ${GITHUB_TOKEN} as github token`,
  ])('keeps a pasted token whose line says what it is: %s', (line) => {
    const read = readChatMessage(line);
    expect(read.issue).not.toContain(GITHUB_TOKEN);
    expect(read.secrets.github_token?.reveal()).toBe(GITHUB_TOKEN);
    expect(read.notices.join()).toContain('used as github_token');
  });

  it('only takes out a token whose line does not say', () => {
    const read = readChatMessage(`calls with ${GITHUB_TOKEN} and ${E2B_KEY} fail`);
    expect(read.issue).toBe('calls with [redacted:token] and [redacted:token] fail');
    expect(read.secrets).toEqual({});
    expect(read.notices).toHaveLength(2);
  });

  it('takes a credential out wherever it is repeated', () => {
    const read = readChatMessage(
      'loki_auth: Basic c2VjcmV0OnNlY3JldA==\nwith Basic c2VjcmV0OnNlY3JldA== it fails',
    );
    expect(read.issue).not.toContain('c2VjcmV0OnNlY3JldA');
  });

  it.each([
    'password=hunter2hunter2',
    'Authorization: Bearer abcdefgh12345678',
    'http://user:hunter2@host/x',
  ])('masks %s', (line) => {
    const read = readChatMessage(`it fails\n${line}`);
    expect(read.issue).toContain('[redacted:');
    expect(read.notices.join()).toContain('credential');
  });

  it('never shows a secret when it is written out', () => {
    expect(JSON.stringify(readChatMessage(`github_token: ${GITHUB_TOKEN}`))).not.toContain(GITHUB_TOKEN);
  });

  it('holds no token in any text, wherever it was pasted', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        const read = readChatMessage(`${before} ${GITHUB_TOKEN} ${after}`);
        expect(JSON.stringify([read.issue, read.texts, read.notices, read.mentionedRepo])).not.toContain(
          GITHUB_TOKEN,
        );
      }),
    );
  });
});

describe('settings after a message', () => {
  it.each([
    ['acme/shop', 'acme/shop'],
    ['https://github.com/acme/shop', 'acme/shop'],
    ['https://WWW.GitHub.com/acme/shop.git', 'acme/shop'],
    ['git@github.com:acme/shop.git', 'acme/shop'],
    ['https://github.com/acme/shop/tree/main/src.', 'acme/shop'],
  ])('reads the repository %s', (given, repo) => {
    expect(settingsOf(`repo: ${given}`).settings.repo).toBe(repo);
  });

  it.each(['shop', '../../etc', 'https://example.org/a/b', 'a b/c'])(
    'refuses the repository %s and says so',
    (given) => {
      const { settings, notices } = settingsOf(`repo: ${given}`);
      expect(settings.repo).toBeNull();
      expect(notices).toHaveLength(1);
    },
  );

  it('takes a repository out of prose only where none is set, and says so', () => {
    const prose = 'see https://github.com/acme/shop/issues/7, it fails';
    const first = settingsOf(prose);
    expect(first.settings.repo).toBe('acme/shop');
    expect(first.notices.join()).toContain('acme/shop');
    const second = settingsOf(prose, { ...NO_SETTINGS, repo: 'acme/till' });
    expect(second.settings.repo).toBe('acme/till');
    expect(second.notices.join()).toContain('stays acme/till');
    expect(settingsOf(prose, { ...NO_SETTINGS, repo: 'acme/shop' }).notices).toEqual([]);
  });

  it('takes addresses only where the operator allows them', () => {
    const open = { allowChatUrls: true, urlAllowlist: ['loki.example'] };
    expect(settingsOf('loki_url: http://loki.example:3100', NO_SETTINGS, open).settings.loki_url).toBe(
      'http://loki.example:3100',
    );
    for (const url of [
      'http://169.254.169.254/',
      'http://loki.example.evil/',
      'http://a:b@loki.example/',
      'file:///etc/passwd',
      'loki.example',
    ]) {
      const { settings, notices } = settingsOf(`loki_url: ${url}`, NO_SETTINGS, open);
      expect(settings.loki_url).toBeNull();
      expect(notices.join()).toContain('loki_url was not taken');
    }
    expect(settingsOf('jaeger_url: http://loki.example').settings.jaeger_url).toBeNull();
  });

  it('keeps what the message does not mention', () => {
    const before = settingsOf(`repo: a/b\nservice_name: cart\ngithub_token: ${GITHUB_TOKEN}`).settings;
    expect(settingsOf('service_name: ad', before).settings).toEqual({ ...before, service_name: 'ad' });
  });
});
