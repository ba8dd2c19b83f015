import { describe, expect, it } from 'vitest';
import { isLocalNetwork, isLoopback, targetUrl } from '../../../src/sources/network/target-url.js';

describe('a target', () => {
  it.each(['ftp://127.0.0.1/', 'notaurl', '', 'file:///etc/passwd', 'javascript:1'])(
    '%j cannot be asked',
    (raw) => {
      expect(targetUrl(raw)).toMatchObject({
        failure: 'invalid_url',
        error: expect.stringMatching(/^request: UnsupportedProtocol: /),
      });
    },
  );

  it.each(['http://127.0.0.1:65536/', 'http://', 'http://[::1/', 'http://a b/'])('%j is malformed', (raw) => {
    expect(targetUrl(raw)).toMatchObject({ error: expect.stringMatching(/^request: InvalidURL: /) });
  });

  it.each([
    ['http://127.0.0.1:8/', true, true],
    ['http://127.8.8.8/', true, true],
    ['http://localhost/', true, true],
    ['http://[::1]/', true, true],
    ['http://[::ffff:127.0.0.1]/', true, true],
    ['http://10.1.2.3/', false, true],
    ['http://169.254.169.254/', false, true],
    ['http://[fe80::1]/', false, true],
    ['http://172.32.0.1/', false, false],
    ['http://localhost.example.com/', false, false],
    ['http://example.com/', false, false],
  ])('%s: loopback %s, local network %s', (raw, loopback, local) => {
    expect([isLoopback(new URL(raw)), isLocalNetwork(new URL(raw))]).toEqual([loopback, local]);
  });
});
