import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { addressProblem } from '../../../src/investigate/safety/addresses.js';
import {
  createHttpClient,
  type HttpClient,
  type HttpLimits,
  type Origin,
  urlOf,
} from '../../../src/investigate/safety/http-client.js';
import { type Fake, serve } from '../fakes/servers.js';

const open: (Fake | HttpClient)[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

const LIMITS: HttpLimits = { maxBytes: 10_000, timeoutMs: 2000, random: () => 0 };
const signal = new AbortController().signal;

async function fake(...args: Parameters<typeof serve>): Promise<Fake> {
  const server = await serve(...args);
  open.push(server);
  return server;
}

function client(origin: Partial<Origin> & { baseUrl: string }, limits: Partial<HttpLimits> = {}): HttpClient {
  const made = createHttpClient({ alias: 'jaeger', mayBePrivate: true, ...origin }, { ...LIMITS, ...limits });
  open.push(made);
  return made;
}

describe('addresses', () => {
  it.each([
    '169.254.169.254',
    'fe80::1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    'fd00:ec2::254',
  ])('%s is never connected to', (address) => {
    expect(addressProblem(address, true)).not.toBeNull();
  });

  it.each(['127.0.0.1', '10.1.2.3', '192.168.0.1', '::1', 'fc00::1', '::ffff:10.0.0.1'])(
    '%s only when configured',
    (address) => {
      expect(addressProblem(address, true)).toBeNull();
      expect(addressProblem(address, false)).not.toBeNull();
    },
  );

  it.each(['192.0.2.1', '2001:db8::1'])('%s is fine', (address) => {
    expect(addressProblem(address, false)).toBeNull();
  });
});

describe('a request', () => {
  it.each([
    'http://169.254.169.254/latest',
    'http://2852039166/',
    'http://[::ffff:169.254.169.254]/',
    'http://0x7f.1/',
  ])('to %s does not leave when no configuration names it', async (baseUrl) => {
    expect(await client({ baseUrl, mayBePrivate: false }).get({ path: ['x'] }, signal)).toMatchObject({
      ok: false,
      status: null,
    });
  });

  it.each(['file:///etc/passwd', 'ftp://x/', 'http://user:pw@x/', 'http://x/#y', 'nonsense'])(
    '%s is no base',
    (baseUrl) => {
      expect(typeof urlOf(baseUrl, { path: ['x'] })).toBe('string');
    },
  );

  it('cannot leave its path, and carries what it is given as data', () => {
    expect(urlOf('http://h/base/', { path: ['api', '..', 'x'] })).toBeTypeOf('string');
    const url = urlOf('http://h/base/', { path: ['api', 'a/b?c#d%2e'], query: { q: 'a&b=c' } });
    expect(String(url)).toBe('http://h/base/api/a%2Fb%3Fc%23d%252e?q=a%26b%3Dc');
  });

  it('goes to the address that was checked, although the name would now mean another', async () => {
    const server = await fake(() => ({ body: { ok: true } }));
    const { port } = new URL(server.url);
    const looked: string[] = [];
    const resolve = async (host: string) => {
      looked.push(host);
      return looked.length === 1 ? ['127.0.0.1'] : ['169.254.169.254'];
    };
    const http = client({ baseUrl: `http://changes.example:${port}` }, { resolve });
    expect(await http.get({ path: ['x'] }, signal)).toMatchObject({ ok: true });
    expect(await http.get({ path: ['x'] }, signal)).toMatchObject({ ok: false, status: null });
    expect(server.requests).toHaveLength(1);
  });

  it('follows no redirect, and takes its credentials nowhere', async () => {
    const other = await fake(() => ({ body: {} }));
    const server = await fake(() => ({ status: 302, body: {}, headers: { location: other.url } }));
    const http = client({ baseUrl: server.url, headers: { authorization: 'Bearer secret-value' } });
    expect(await http.get({ path: ['x'] }, signal)).toMatchObject({ ok: false, status: 302 });
    expect(other.requests).toEqual([]);
    expect(server.headers[0]?.authorization).toBe('Bearer secret-value');
  });

  it('stops reading a body that is too large, packed or not', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
    const server = await fake((url, _request, response) => {
      if (url.pathname === '/plain') return { body: 'x'.repeat(20_000) };
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(bomb);
      return undefined;
    });
    const http = client({ baseUrl: server.url });
    for (const path of ['plain', 'bomb']) {
      expect(await http.get({ path: [path] }, signal)).toMatchObject({
        ok: false,
        problem: expect.stringContaining('larger than'),
      });
    }
  });

  it('ends in time, whatever the server does', async () => {
    const server = await fake((_url, _request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"slow":');
      return undefined;
    });
    const answer = await client({ baseUrl: server.url }, { timeoutMs: 100 }).get({ path: ['x'] }, signal);
    expect(answer).toMatchObject({ ok: false, problem: 'no answer in time' });
  });

  it('is repeated once after 503, and not after 500', async () => {
    let count = 0;
    const server = await fake((url) => {
      count += 1;
      if (url.pathname === '/500') return { status: 500, body: {} };
      return count === 1 ? { status: 503, body: {} } : { body: { fine: true } };
    });
    const http = client({ baseUrl: server.url });
    expect(await http.get({ path: ['x'] }, signal)).toMatchObject({ ok: true });
    expect(await http.get({ path: ['500'] }, signal)).toMatchObject({ ok: false, status: 500 });
    expect(server.requests).toEqual(['/x', '/x', '/500']);
  });

  it('is not made any more after three failures in a row', async () => {
    const server = await fake(() => ({ status: 500, body: {} }));
    const http = client({ baseUrl: server.url });
    for (let call = 0; call < 5; call += 1) await http.get({ path: ['x'] }, signal);
    expect(server.requests).toHaveLength(3);
    expect(await http.get({ path: ['x'] }, signal)).toMatchObject({
      problem: expect.stringContaining('not asked again'),
    });
  });

  it('reports what is no JSON, without its text', async () => {
    const server = await fake(() => ({
      body: '<html>secret page</html>',
      raw: true,
      headers: { 'content-type': 'text/html' },
    }));
    const answer = await client({ baseUrl: server.url }).get({ path: ['x'] }, signal);
    expect(answer).toEqual({ ok: false, status: 200, problem: 'the answer is not JSON (text/html)' });
  });
});
