import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { fetchHeaders } from '../../../src/sources/network/fetch-headers.js';
import { closedPort, crowdedPort, httpServer, statusServer, tcpServer } from '../support/servers.js';

function ask(url: string, { timeoutMs = 1500, proxy }: { timeoutMs?: number; proxy?: string } = {}) {
  return fetchHeaders({ url: new URL(url), timeoutMs, signal: new AbortController().signal, proxy });
}

describe('one request up to the headers', () => {
  it.each([200, 204, 302, 404, 500, 503])('delivers status %i', async (status) => {
    const { url, requests } = await statusServer(status, { 'retry-after': '7' });
    expect(await ask(url)).toMatchObject({ kind: 'response', statusCode: status, retryAfter: '7' });
    expect(requests).toEqual(['GET /health']);
  });

  it('does not follow a redirect to another host', async () => {
    const elsewhere = await statusServer(200);
    const { url } = await statusServer(307, { location: elsewhere.url });
    expect(await ask(url)).toMatchObject({ statusCode: 307 });
    expect(elsewhere.requests).toEqual([]);
  });

  it('does not wait for a body that drips, or never ends', async () => {
    const dripping = await httpServer((_request, response) => {
      response.writeHead(200);
      response.write('x');
    });
    const endless = await httpServer((_request, response) => {
      response.writeHead(200);
      const pour = () => {
        while (response.write('x'.repeat(65_536)));
        response.once('drain', pour);
      };
      pour();
    });
    for (const { url } of [dripping, endless]) {
      const outcome = await ask(url);
      expect(outcome).toMatchObject({ kind: 'response', statusCode: 200 });
      expect(outcome.ms).toBeLessThan(1000);
    }
  });

  it('tells a refused connection', async () => {
    expect(await ask(`http://127.0.0.1:${await closedPort()}/`)).toMatchObject({
      failure: 'refused',
      phase: 'connect',
      error: 'connect: ConnectError',
    });
  });

  it('tells a server that accepts and never answers, also one that drips its headers', async () => {
    const silent = await tcpServer(() => undefined);
    const dripping = await tcpServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write('x: y\r\n'), 20);
      socket.on('close', () => clearInterval(timer));
    });
    for (const { url } of [silent, dripping]) {
      const outcome = await ask(url, { timeoutMs: 200 });
      expect(outcome).toMatchObject({ failure: 'timeout', phase: 'headers', error: 'timeout' });
      expect(outcome.ms).toBeLessThan(1000);
    }
  });

  it('tells a connection that was never established', async () => {
    const outcome = await ask(`http://127.0.0.1:${await crowdedPort()}/`, { timeoutMs: 300 });
    expect(outcome).toMatchObject({ failure: 'timeout', phase: 'connect', error: 'timeout' });
  });

  it('tells a reset, with and without a word', async () => {
    const closing = await tcpServer((socket) => socket.once('data', () => socket.end()));
    const resetting = await tcpServer((socket) => socket.once('data', () => socket.resetAndDestroy()));
    for (const { url } of [closing, resetting]) {
      expect(await ask(url)).toMatchObject({
        failure: 'reset',
        phase: 'headers',
        error: expect.stringMatching(/^request: ConnectionReset: /),
      });
    }
  });

  it('tells a server that does not speak HTTP, and never quotes it', async () => {
    const { url } = await tcpServer((socket) => socket.end('220 mail.example ESMTP secret\r\n'));
    expect(await ask(url)).toMatchObject({
      failure: 'protocol',
      error: 'request: ProtocolError: HTTPParserError',
    });
  });

  it('tells TLS against a server that has none', async () => {
    const { port } = await tcpServer((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 400 Bad\r\n\r\n')),
    );
    expect(await ask(`https://127.0.0.1:${port}/`)).toMatchObject({ failure: 'tls', phase: 'tls' });
  });

  it('tells a name that does not exist', async () => {
    expect(await ask('http://no-such-host.invalid/')).toMatchObject({
      failure: expect.stringMatching(/dns|timeout/),
      phase: 'connect',
    });
  });

  it('asks a server by its name too', async () => {
    const { port } = await statusServer(204);
    expect(await ask(`http://localhost:${port}/`)).toMatchObject({ statusCode: 204 });
    expect(await ask(`http://${hostname()}:${await closedPort()}/`)).toMatchObject({ failure: 'refused' });
  });

  it('uses no proxy of the environment, and one that it is told to use', async () => {
    const recorder = await tcpServer((socket) =>
      socket.end('HTTP/1.1 418 Teapot\r\ncontent-length: 0\r\n\r\n'),
    );
    const proxy = `http://127.0.0.1:${recorder.port}`;
    const { url } = await statusServer(200);
    const before = { ...process.env };
    Object.assign(process.env, { HTTP_PROXY: proxy, http_proxy: proxy, ALL_PROXY: proxy, all_proxy: proxy });
    try {
      expect(await ask(url)).toMatchObject({ kind: 'response', statusCode: 200 });
    } finally {
      process.env = before;
    }
    expect(recorder.requests).toEqual([]);

    await ask('http://gateway.invalid/', { proxy });
    expect(recorder.requests.length).toBeGreaterThan(0);
  });
});
