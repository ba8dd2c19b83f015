import { BlockList } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isLocalNetwork,
  isLoopback,
  isLoopbackHost,
  targetUrl,
} from '../../../src/sources/network/target-url.js';

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

  it('of four octets is judged as Node judges it', () => {
    const local = new BlockList();
    local.addSubnet('127.0.0.0', 8);
    local.addAddress('0.0.0.0');
    local.addSubnet('10.0.0.0', 8);
    local.addSubnet('172.16.0.0', 12);
    local.addSubnet('192.168.0.0', 16);
    local.addSubnet('169.254.0.0', 16);
    local.addSubnet('100.64.0.0', 10);
    const edge = fc.constantFrom(0, 10, 15, 16, 31, 32, 63, 64, 100, 126, 127, 128, 168, 169, 172, 192, 254);
    const octet = fc.oneof(edge, fc.integer({ min: 0, max: 255 }));
    fc.assert(
      fc.property(fc.tuple(octet, octet, octet, octet), (octets) => {
        const host = octets.join('.');
        expect(isLocalNetwork(new URL(`http://${host}/`))).toBe(local.check(host));
      }),
      { numRuns: 1000 },
    );
  });

  it.each(['256.0.0.1', '127.0.0.999', '010.0.0.1', '10.0.0', '10.0.0.0.1', 'a.10.0.0.1'])(
    'is no address: %s',
    (host) => {
      expect(isLoopbackHost(host)).toBe(false);
    },
  );
});
