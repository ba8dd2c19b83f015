import { type IncomingHttpHeaders, request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { allEvents, chat, startServer } from './support.js';

/** A request with headers that `fetch` does not let a client set. */
function raw(
  port: number,
  options: { path?: string; method?: string; headers?: Record<string, string>; body?: string },
): Promise<{ status: number; headers: IncomingHttpHeaders; body: string }> {
  const { path = '/', method = 'GET', headers = {}, body } = options;
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      );
    });
    call.on('error', reject);
    call.end(body);
  });
}

const JSON_TYPE = { 'content-type': 'application/json' };

describe('who is answered', () => {
  it.each(['127.0.0.1:1234', 'localhost:9999', 'LOCALHOST', 'agent.example', '[::1]:80'])(
    'serves the name %s',
    async (host) => {
      const { port } = await startServer();
      expect((await raw(port, { headers: { host } })).status).toBe(200);
    },
  );

  it.each([
    'evil.example',
    'localhost.evil.example',
    '192.168.0.7',
    '127.0.0.1.evil.example',
    '127.0.0.1@evil.example',
  ])('refuses the name %j, which a name server can point here', async (host) => {
    const { port } = await startServer();
    const { status } = await raw(port, { path: '/investigations', headers: { host } });
    expect([400, 403]).toContain(status);
  });

  it('refuses requests of other sites, and answers its own', async () => {
    const { port } = await startServer();
    const host = `127.0.0.1:${port}`;
    const ask = (headers: Record<string, string>) =>
      raw(port, {
        path: '/chat',
        method: 'POST',
        headers: { host, ...JSON_TYPE, ...headers },
        body: '{"message":""}',
      });
    expect((await ask({ origin: 'https://evil.example' })).status).toBe(403);
    expect((await ask({ origin: 'null' })).status).toBe(403);
    expect((await ask({ origin: `http://127.0.0.1:${port + 1}` })).status).toBe(403);
    expect((await ask({ 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await ask({ origin: `http://${host}` })).status).toBe(200);
  });

  it('opens for a link on another site, but not for what that site fetches', async () => {
    const { port } = await startServer();
    const ask = async (mode: string) =>
      (await raw(port, { headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': mode } })).status;
    expect(await ask('navigate')).toBe(200);
    expect(await ask('no-cors')).toBe(403);
  });

  it('sends no header that lets another site read', async () => {
    const { port } = await startServer();
    const { headers } = await raw(port, { path: '/investigations' });
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    const preflight = await raw(port, { path: '/chat', method: 'OPTIONS' });
    expect(preflight.status).toBe(404);
  });

  it('asks for the token where one is set, except for the page itself', async () => {
    const { url } = await startServer({ token: 'correct horse' });
    expect((await fetch(url)).status).toBe(200);
    expect((await fetch(`${url}/main.js`)).status).toBe(200);
    expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: 'ok' });
    for (const authorization of ['', 'Bearer wrong', 'Basic correct horse', 'Bearer correct horse2']) {
      const headers = { authorization };
      expect((await fetch(`${url}/investigations`, { headers })).status).toBe(401);
      expect((await chat(url, 'the cart fails', null, headers)).status).toBe(401);
    }
    const headers = { authorization: 'Bearer correct horse' };
    expect((await fetch(`${url}/investigations`, { headers })).status).toBe(200);
    const health = await (await fetch(`${url}/health`, { headers })).json();
    expect(health).toEqual({ status: 'ok', version: '0.0.0', sessions: 0, running: 0, llm: false });
  });
});

describe('what is refused', () => {
  it('takes JSON alone', async () => {
    const { url } = await startServer();
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      const response = await fetch(`${url}/chat`, {
        method: 'POST',
        headers: { 'content-type': type },
        body: 'x',
      });
      expect(response.status).toBe(415);
      expect(await response.json()).toMatchObject({ type: 'error', code: 'bad_request' });
    }
  });

  it.each([
    '',
    '{',
    '[]',
    '"text"',
    '{}',
    '{"message":1}',
    '{"message":"x","session_id":3}',
    '{"__proto__":{},"message":"x"}',
  ])('takes no %s', async (body) => {
    const { url, engine } = await startServer();
    const response = await fetch(`${url}/chat`, { method: 'POST', headers: JSON_TYPE, body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ type: 'error', code: 'bad_request' });
    expect(engine.questions).toEqual([]);
  });

  it('takes at most 64 KiB', async () => {
    const { url } = await startServer();
    expect((await chat(url, 'x'.repeat(65_000))).status).toBe(200);
    expect((await chat(url, 'x'.repeat(66_000))).status).toBe(413);
  });

  it('takes so many messages a minute', async () => {
    let now = 1_777_800_000_000;
    const { url } = await startServer({ now: () => now, limits: { chatsPerMinute: 3 } });
    const statuses: number[] = [];
    for (let count = 0; count < 4; count += 1) {
      const response = await chat(url, '');
      statuses.push(response.status);
      if (response.status === 429) expect(response.headers.get('retry-after')).toBe('60');
      await response.text();
    }
    expect(statuses).toEqual([200, 200, 200, 429]);
    now += 60_000;
    expect((await chat(url, '')).status).toBe(200);
  });

  it('keeps so many streams open', async () => {
    const { url, engine } = await startServer({ limits: { maxStreams: 1 } });
    engine.isGated = true;
    const first = await chat(url, 'the cart fails');
    const second = await fetch(`${url}/investigations/${first.headers.get('x-investigation-id')}/events`);
    expect(second.status).toBe(503);
    engine.next(4);
    expect((await allEvents(first)).at(-1)?.data['type']).toBe('final');
  });
});

describe('the page', () => {
  it('comes with a policy under which nothing foreign runs', async () => {
    const { url } = await startServer();
    const response = await fetch(url);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'self'");
    expect(policy).not.toMatch(/unsafe|http:|https:|\*|data:/);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    const html = await response.text();
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=|https?:\/\//i);
  });

  it('has every file that it asks for, with its type', async () => {
    const { url } = await startServer();
    const html = await (await fetch(url)).text();
    const files = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path);
    expect(files.length).toBeGreaterThan(2);
    for (const path of files) expect((await fetch(url + path)).status).toBe(200);
    expect((await fetch(`${url}/main.js`)).headers.get('content-type')).toContain('text/javascript');
    expect((await fetch(`${url}/..%2fserver%2fevents.ts`)).status).toBe(404);
  });
});
