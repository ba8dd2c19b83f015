import { describe, expect, it } from 'vitest';
import { type JsonObject, objectOr } from '../../../src/foreign/json.js';
import { gatewayCollector } from '../../../src/sources/external/gateway-collector.js';
import { collect, type EnvChanges, NOW } from '../support/collector-env.js';
import { closedPort, httpServer, statusServer, tcpServer } from '../support/servers.js';

async function look(port: number, changes: EnvChanges = {}) {
  const env = {
    OPENAI_BASE_URL: `http://user:pw@127.0.0.1:${port}/v1?key=s3cret`,
    OPENAI_API_KEY: 'sk-test',
    ...changes.env,
  };
  const answer = await collect(gatewayCollector, { ...changes, env });
  const gateway: JsonObject = objectOr(objectOr(answer.slots.local_external_deps)['gateway']);
  return { gateway, memory: answer.memory ?? {}, answer };
}

describe('the gateway', () => {
  it.each([
    [200, true, 'ok', 0],
    [302, true, 'ok', 0],
    [401, true, 'unauthorized', 1],
    [403, true, 'http_error', 0],
    [404, true, 'http_error', 0],
    [429, true, 'http_error', 0],
    [500, false, 'server_error', 1],
    [503, false, 'server_error', 1],
  ])('answering %i is reachable %s, %s', async (status, reachable, name, streak) => {
    const { port } = await statusServer(status);
    const { gateway } = await look(port);
    expect(gateway).toEqual({
      url: `http://127.0.0.1:${port}/v1/models`,
      reachable,
      status: name,
      status_code: status,
      sampled_unix: NOW,
      retry_after_s: null,
      flavor: 'openai',
      authenticated: true,
      fail_streak: streak,
    });
  });

  it('gets its credential and keeps its own query, neither of which is shown', async () => {
    const seen: string[] = [];
    const { port } = await httpServer((request, response) => {
      seen.push(`${request.url} ${request.headers.authorization}`);
      response.end();
    });
    const { gateway } = await look(port);
    expect(seen).toEqual(['/v1/models?key=s3cret Bearer sk-test']);
    expect(JSON.stringify(gateway)).not.toMatch(/s3cret|sk-test|pw/);
  });

  it.each([401, 403])('refusing %i without a credential proves nothing', async (status) => {
    const { port } = await statusServer(status);
    const { gateway } = await look(port, { env: { OPENAI_API_KEY: '' } });
    expect(gateway).toMatchObject({
      status: 'unauthenticated_probe',
      error: String(status),
      authenticated: false,
      fail_streak: 0,
    });
    expect(gateway).not.toHaveProperty('status_code');
  });

  it('that is not there is an error with a streak', async () => {
    const port = await closedPort();
    const first = await look(port);
    expect(first.gateway).toMatchObject({
      reachable: false,
      status: 'error',
      error: 'connect: ConnectError',
      fail_streak: 1,
    });
    const second = await look(port, { memory: first.memory, nowUnix: NOW + 60 });
    expect(second.gateway).toMatchObject({ fail_streak: 2, sampled_unix: NOW + 60 });
  });

  it('that says nothing is a timeout', async () => {
    const { port } = await tcpServer(() => undefined);
    const { gateway } = await look(port, { config: { health_probe_timeout_s: 0.1 } });
    expect(gateway).toMatchObject({ status: 'error', error: 'timeout' });
  });

  it('is asked once a minute; in between the last answer stands, with its time', async () => {
    const server = await statusServer(503);
    const first = await look(server.port);
    const again = await look(server.port, { memory: first.memory, nowUnix: NOW + 59 });
    expect(again.gateway).toEqual(first.gateway);
    expect(again.answer.memory).toBeUndefined();
    expect(server.requests).toHaveLength(1);
    await look(server.port, { memory: first.memory, nowUnix: NOW + 60 });
    expect(server.requests).toHaveLength(2);
  });

  it('is left alone as long as it asks for, but not for ever', async () => {
    const polite = await statusServer(429, { 'retry-after': '600' });
    const first = await look(polite.port);
    expect(first.gateway).toMatchObject({ retry_after_s: 600 });
    await look(polite.port, { memory: first.memory, nowUnix: NOW + 599 });
    expect(polite.requests).toHaveLength(1);
    await look(polite.port, { memory: first.memory, nowUnix: NOW + 600 });
    expect(polite.requests).toHaveLength(2);

    const greedy = await statusServer(429, { 'retry-after': '999999999' });
    const second = await look(greedy.port);
    await look(greedy.port, { memory: second.memory, nowUnix: NOW + 3600 });
    expect(greedy.requests).toHaveLength(2);
  });

  it('is asked again at once when the URL or the credential has changed, or the clock was set back', async () => {
    const server = await statusServer(401);
    const first = await look(server.port);
    await look(server.port, { memory: first.memory, nowUnix: NOW - 5 });
    await look(server.port, { memory: first.memory, env: { OPENAI_API_KEY: '' } });
    expect(server.requests).toHaveLength(3);
    const elsewhere = await statusServer(500);
    expect((await look(elsewhere.port, { memory: first.memory })).gateway).toMatchObject({ fail_streak: 1 });
  });

  it('on this machine is never reached through a proxy', async () => {
    const proxy = await tcpServer((socket) => socket.end('HTTP/1.1 418 Teapot\r\n\r\n'));
    const { port } = await statusServer(200);
    const env = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` };
    const { gateway } = await look(port, { env, config: { external_gateway_use_proxy: true } });
    expect(gateway).toMatchObject({ status_code: 200 });
    expect(proxy.requests).toEqual([]);
  });

  it('is empty where none is named', async () => {
    const answer = await collect(gatewayCollector, { env: {} });
    expect(answer).toMatchObject({
      verdicts: { gateway: { status: 'empty' } },
      slots: { local_external_deps: { gateway: {} } },
    });
  });
});
