import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { attemptOnce } from '../../src/llm/attempt.js';
import { createBudget } from '../../src/llm/budget.js';
import { deadlineIn, systemClock } from '../../src/llm/deadline.js';
import { createUsageMeter } from '../../src/llm/usage.js';
import { completion, type Play } from '../support/provider-server.js';
import { open, opened, PROTOCOLS, provider, status } from './scene.js';
import { farDeadline, modelFor, openAiAt, QUESTION } from './support.js';

describe.each(PROTOCOLS)('time and budget with $name', ({ at, answer }) => {
  it('a connection that is reset is tried again, and a dead port is a connection failure', async () => {
    const server = await provider(['reset', answer]);
    expect(await opened(modelFor(at(server.origin))).complete(QUESTION, farDeadline())).toMatchObject({
      ok: true,
      attempts: 2,
    });
    await server.close();
    const result = await opened(modelFor(at(server.origin))).complete(QUESTION, farDeadline());
    expect(result).toMatchObject({
      ok: false,
      attempts: 3,
      failure: { reason: 'connection', message: expect.stringContaining('ECONNREFUSED') },
    });
  });

  it.each<Play>(['hang', 'stall'])('a provider that plays %j is left at the deadline', async (play) => {
    const server = await provider([play]);
    const model = opened(modelFor(at(server.origin)));
    const begun = performance.now();
    const result = await model.complete(QUESTION, deadlineIn(1200));
    expect(result).toMatchObject({
      ok: false,
      attempts: 1,
      failure: { reason: 'timed_out', message: 'no answer before the deadline' },
    });
    expect(performance.now() - begun).toBeLessThan(4000);
  });

  it('the limit of one attempt leaves time for another', async () => {
    const server = await provider(['hang', answer]);
    const retries = {
      maxRetries: 1,
      attemptTimeoutMs: 200,
      firstWaitMs: 1,
      longestWaitMs: 1,
      longestRetryAfterMs: 1,
      leastRemainingMs: 1,
    };
    const result = await opened(modelFor(at(server.origin), { retries })).complete(QUESTION, farDeadline());
    expect(result).toMatchObject({ ok: true, attempts: 2 });
  });

  it('a caller who cancels is told so', async () => {
    const server = await provider(['hang']);
    const controller = new AbortController();
    const deadline = { signal: controller.signal, remainingMs: () => 30_000 };
    const pending = opened(modelFor(at(server.origin))).complete(QUESTION, deadline);
    await server.arrived(1);
    controller.abort();
    expect(await pending).toMatchObject({ ok: false, failure: { reason: 'cancelled' } });
  });

  it('with too little time left nothing is sent', async () => {
    const server = await provider([answer]);
    const result = await opened(modelFor(at(server.origin))).complete(QUESTION, deadlineIn(900));
    expect(result).toMatchObject({ ok: false, attempts: 0, failure: { reason: 'timed_out' } });
    expect(server.requests).toHaveLength(0);
  });

  it('the budget counts every request, retries too, and stops before the next', async () => {
    const server = await provider([status(503, 'busy'), answer]);
    const budget = createBudget({ maxRequests: 2, maxInputTokens: 100 });
    const meter = createUsageMeter('m');
    const model = opened(modelFor(at(server.origin), { budget, meter }));
    expect(await model.complete(QUESTION, farDeadline())).toMatchObject({ ok: true });
    expect(budget.spent()).toMatchObject({ requests: 2, inputTokens: 7, outputTokens: 3 });
    expect(await model.complete(QUESTION, farDeadline())).toMatchObject({
      ok: false,
      attempts: 0,
      failure: { reason: 'budget_exhausted' },
    });
    expect(meter.drain()).toMatchObject({ input_tokens: 7, output_tokens: 3, calls: 1, failed_attempts: 1 });
    expect(meter.drain()).toBeNull();
  });

  it('the wall time of the budget ends a hanging request', async () => {
    const server = await provider(['hang']);
    const budget = createBudget({ maxWallMs: 1200 });
    const result = await opened(modelFor(at(server.origin), { budget })).complete(QUESTION, farDeadline());
    expect(result).toMatchObject({ ok: false, failure: { reason: 'timed_out' } });
  });

  it('a request that cannot be redacted does not leave', async () => {
    const server = await provider([answer]);
    const redact = (): string => {
      throw new Error('canary');
    };
    const result = await opened(modelFor(at(server.origin), { redact })).complete(QUESTION, farDeadline());
    expect(result).toMatchObject({ ok: false, attempts: 0, failure: { reason: 'bad_request' } });
    expect(JSON.stringify(result)).not.toContain('canary');
    expect(server.requests).toHaveLength(0);
  });

  it('what is not usable is said before anything is sent', async () => {
    const model = opened(modelFor({ ...at('http://h'), baseUrl: 'gopher://h' }));
    expect(await model.complete(QUESTION, farDeadline())).toMatchObject({
      ok: false,
      attempts: 0,
      failure: { reason: 'not_configured' },
    });
  });
});

describe('an attempt', () => {
  it('ends in time even when the library heeds no signal', async () => {
    const call = { keys: [], characters: 0, send: () => new Promise<void>(() => undefined) };
    const transport = { fetchFor: () => fetch, close: async () => undefined };
    const adapter = {
      prepare: () => call,
      parse: () => ({ ok: false as const, problem: '', usage: undefined }),
    };
    const context = {
      adapter,
      transport,
      redact: (text: string) => text,
      clock: systemClock,
      wallNow: Date.now,
    };
    expect(await attemptOnce(call, farDeadline(), { ...context, timeoutMs: 20 })).toMatchObject({
      failure: { reason: 'timed_out', message: 'no answer within 0.0 s' },
    });
    expect(await attemptOnce(call, deadlineIn(20), { ...context, timeoutMs: 9000 })).toMatchObject({
      failure: { reason: 'timed_out', message: 'no answer before the deadline' },
    });
  });
});

describe('proxies of the environment', () => {
  it('are asked for other hosts and never for loopback', async () => {
    const tunnels: string[] = [];
    const proxy = createServer().on('connect', (request, socket) => {
      tunnels.push(String(request.url));
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    open.push({ close: () => new Promise((resolve) => proxy.close(() => resolve())) });
    const env = { HTTP_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };

    const target = await provider([completion({ content: 'fine' })]);
    const near = await opened(modelFor(openAiAt(target.origin), { env })).complete(QUESTION, farDeadline());
    expect(near).toMatchObject({ ok: true });
    expect(tunnels).toEqual([]);

    const far = await opened(modelFor(openAiAt('http://model.invalid'), { env })).complete(
      QUESTION,
      farDeadline(),
    );
    expect(far).toMatchObject({ ok: false, failure: { reason: 'connection' } });
    expect(tunnels[0]).toBe('model.invalid:80');
  });
});
