import { describe, expect, it } from 'vitest';
import { deadlineIn } from '../../src/llm/deadline.js';
import { createEndpointMemory } from '../../src/llm/quirks.js';
import { createUsageMeter } from '../../src/llm/usage.js';
import { completion, type Play, type SeenRequest } from '../support/provider-server.js';
import { opened, PROTOCOLS, provider, status } from './scene.js';
import { farDeadline, modelFor, notingClock, openAiAt, QUESTION } from './support.js';

describe.each(PROTOCOLS)('$name endpoints in trouble', ({ at, answer }) => {
  it.each([408, 409, 425, 429, 500, 502, 503, 529])('a %i is tried again', async (code) => {
    const server = await provider([status(code, { error: { message: 'later' } }), answer]);
    const result = await opened(modelFor(at(server.origin))).complete(QUESTION, farDeadline());
    expect(result).toMatchObject({ ok: true, attempts: 2 });
  });

  it.each<[number, string]>([
    [400, 'bad_request'],
    [401, 'unauthorized'],
    [403, 'unauthorized'],
    [404, 'not_found'],
    [418, 'bad_request'],
  ])('a %i is final: %s', async (code, reason) => {
    const server = await provider([status(code, { error: { message: 'no' } })]);
    const result = await opened(modelFor(at(server.origin))).complete(QUESTION, farDeadline());
    expect(result).toMatchObject({ ok: false, attempts: 1, failure: { reason, status: code } });
    expect(server.requests).toHaveLength(1);
  });

  it('gives up after two retries, waiting longer each time', async () => {
    const clock = notingClock();
    const server = await provider([status(503, 'busy')]);
    const result = await opened(modelFor(at(server.origin), { clock })).complete(QUESTION, farDeadline());
    expect(result).toMatchObject({ ok: false, attempts: 3, failure: { reason: 'server_error' } });
    expect(clock.waits).toEqual([500, 1000]);
  });

  it('an overload is told from another server error, by its status and by its words', async () => {
    const words = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    for (const play of [status(529, words), status(500, words)]) {
      const server = await provider([play]);
      const result = await opened(modelFor(at(server.origin))).complete(QUESTION, farDeadline());
      expect(result).toMatchObject({ ok: false, failure: { reason: 'overloaded' } });
    }
  });

  it('x-should-retry: false ends it', async () => {
    const server = await provider([status(503, {}, { 'x-should-retry': 'false' })]);
    const result = await opened(modelFor(at(server.origin))).complete(QUESTION, farDeadline());
    expect(result).toMatchObject({ ok: false, attempts: 1 });
  });

  it('x-should-retry: true does not turn a 400 into something that a retry could cure', async () => {
    const server = await provider([status(400, {}, { 'x-should-retry': 'true' })]);
    await opened(modelFor(at(server.origin))).complete(QUESTION, farDeadline());
    expect(server.requests).toHaveLength(1);
  });

  it.each<[string, number]>([
    ['3', 3000],
    ['Mon, 02 Mar 2026 06:40:07 GMT', 7000],
    ['Mon, 02 Mar 2026 06:39:00 GMT', 500],
    ['soon', 500],
  ])('Retry-After: %s is waited for', async (value, wait) => {
    const clock = notingClock();
    const wallNow = (): number => Date.UTC(2026, 2, 2, 6, 40, 0);
    const server = await provider([status(429, {}, { 'retry-after': value }), answer]);
    const result = await opened(modelFor(at(server.origin), { clock, wallNow })).complete(
      QUESTION,
      farDeadline(),
    );
    expect(result).toMatchObject({ ok: true });
    expect(clock.waits).toEqual([wait]);
  });

  it.each(['31', '9999999', 'Mon, 02 Mar 2026 07:40:00 GMT'])(
    'Retry-After: %s is longer than we wait, so it ends at once',
    async (value) => {
      const clock = notingClock();
      const wallNow = (): number => Date.UTC(2026, 2, 2, 6, 40, 0);
      const server = await provider([status(429, {}, { 'retry-after': value })]);
      const result = await opened(modelFor(at(server.origin), { clock, wallNow })).complete(
        QUESTION,
        farDeadline(),
      );
      expect(result).toMatchObject({ ok: false, attempts: 1, failure: { reason: 'rate_limited' } });
      expect(clock.waits).toEqual([]);
    },
  );

  it('a wait that would leave no time for an attempt is not begun', async () => {
    const clock = notingClock();
    const server = await provider([status(429, {}, { 'retry-after': '4' })]);
    const result = await opened(modelFor(at(server.origin), { clock })).complete(QUESTION, deadlineIn(4500));
    expect(result).toMatchObject({
      ok: false,
      attempts: 1,
      failure: { reason: 'rate_limited', retryAfterS: 4 },
    });
  });

  it.each<[string, unknown, string]>([
    [
      'nested',
      { error: { message: 'model missing', type: 'invalid_request_error', code: 'model_missing' } },
      'model_missing: model missing',
    ],
    [
      'flat',
      { object: 'error', message: 'model missing', type: 'BadRequestError', param: null, code: 400 },
      'badrequesterror: model missing',
    ],
    ['text', { error: 'model missing' }, 'model missing'],
    ['detail', { detail: [{ loc: ['body'], msg: 'model missing' }] }, 'model missing'],
    ['HTML', '<html><head><title>502 Bad\nGateway</title></head><body>x</body></html>', '502 Bad Gateway'],
    ['plain', 'upstream said no', 'upstream said no'],
  ])('reads a %s error body', async (_, body, words) => {
    const server = await provider([status(400, body)]);
    const result = await opened(modelFor(at(server.origin))).complete(QUESTION, farDeadline());
    expect(result).toMatchObject({
      ok: false,
      failure: { reason: 'bad_request', message: expect.stringContaining(words) },
    });
    if (!result.ok) expect(result.failure.body).toContain(typeof body === 'string' ? '' : 'model missing');
  });

  it.each<[string, Play]>([
    ['HTML', { body: '<html>login</html>' }],
    ['broken JSON', { body: '{"choices": [', headers: { 'content-type': 'application/json' } }],
    ['a JSON list', { body: [] }],
    ['an error with status 200', { body: { type: 'error', error: { message: 'x' } } }],
    ['a redirect', { status: 302, body: {}, headers: { location: 'http://127.0.0.1:9/elsewhere' } }],
    ['no content', { status: 204, body: '' }],
  ])('%s is a bad answer, not tried again', async (_, play) => {
    const server = await provider([play]);
    const result = await opened(modelFor(at(server.origin))).complete(QUESTION, farDeadline());
    expect(result).toMatchObject({ ok: false, attempts: 1, failure: { reason: 'bad_answer' } });
    expect(server.requests).toHaveLength(1);
  });

  it('an answer beyond the limit is not read to its end', async () => {
    const server = await provider([completion({ content: 'x'.repeat(50_000) })]);
    const result = await opened(modelFor(at(server.origin), { maxBytes: 10_000 })).complete(
      QUESTION,
      farDeadline(),
    );
    expect(result).toMatchObject({
      ok: false,
      failure: { reason: 'bad_answer', message: expect.stringContaining('larger') },
    });
  });

  it.each<[string, unknown]>([
    ['by its code', { error: { code: 'context_length_exceeded', message: 'too many' } }],
    ['by its words', { error: { message: 'prompt is too long: 204308 tokens > 128000 maximum' } }],
    [
      'in the flat form',
      {
        object: 'error',
        message:
          "This model's maximum context length is 128000 tokens. However, you requested 204308 tokens.",
      },
    ],
  ])('a request that is too long, told %s, is shortened once', async (_, body) => {
    const server = await provider([status(400, body), answer]);
    const text = `${'a'.repeat(9000)}THE END`;
    const messages = [
      { role: 'user' as const, text: 'short' },
      { role: 'user' as const, text },
    ];
    const result = await opened(modelFor(at(server.origin))).complete(
      { ...QUESTION, messages },
      farDeadline(),
    );
    expect(result).toMatchObject({ ok: true, attempts: 2 });
    const [first, second] = server.requests.map((seen) => seen.text.length);
    expect(second).toBeLessThan((first ?? 0) * 0.65);
    expect(server.requests[1]?.text).toContain('shortened');
    expect(server.requests[1]?.text).toContain('THE END');
    expect(server.requests[1]?.text).toContain('short');
  });

  it('what is still too long is given up', async () => {
    const server = await provider([status(413, { error: { message: 'request too large' } })]);
    const messages = [{ role: 'user' as const, text: 'a'.repeat(9000) }];
    const result = await opened(modelFor(at(server.origin))).complete(
      { ...QUESTION, messages },
      farDeadline(),
    );
    expect(result).toMatchObject({ ok: false, attempts: 2, failure: { reason: 'context_overflow' } });
  });

  it('a temperature that is refused is left out, and stays out', async () => {
    const server = await provider((seen) =>
      'temperature' in seen.body
        ? status(400, {
            error: {
              message: "Unsupported value: 'temperature' does not support 0.2.",
              param: 'temperature',
            },
          })
        : answer,
    );
    const memory = createEndpointMemory();
    const first = await opened(modelFor(at(server.origin), { memory })).complete(QUESTION, farDeadline());
    const kept = createEndpointMemory(JSON.parse(JSON.stringify(memory.snapshot())));
    const second = await opened(modelFor(at(server.origin), { memory: kept })).complete(
      QUESTION,
      farDeadline(),
    );
    expect([first.attempts, second.attempts, server.requests.length]).toEqual([2, 1, 3]);
  });
});

describe.each(PROTOCOLS)('redaction before $name', ({ at, answer }) => {
  it('reaches every text of a request but what the model itself said', async () => {
    const server = await provider([answer]);
    const redact = (text: string): string => text.replaceAll('canary', '[redacted]');
    const model = opened(modelFor(at(server.origin), { redact }));
    const first = await model.complete(QUESTION, farDeadline());
    if (!first.ok) throw new Error(first.failure.message);
    const call = { id: 'c1', name: 'look', arguments: { ok: true as const, value: { where: 'canary' } } };
    const broken = {
      id: 'c2',
      name: 'look',
      arguments: { ok: false as const, raw: '{canary', problem: 'p' },
    };
    const results = ['c1', 'c2'].map((callId) => ({ callId, content: 'canary', isError: false }));
    await model.complete(
      {
        ...QUESTION,
        system: 'canary',
        messages: [
          { role: 'user', text: 'canary' },
          first.reply.message,
          { role: 'user', text: 'canary' },
          { role: 'assistant', text: 'canary', toolCalls: [call, broken] },
          { role: 'tool', results },
        ],
        tools: [
          { name: 'look', description: 'canary', parameters: { type: 'object', description: 'canary' } },
        ],
      },
      farDeadline(),
    );
    const sent = server.requests[1]?.text ?? '';
    expect(sent).not.toContain('canary');
    expect(sent.split('[redacted]').length).toBeGreaterThan(8);
    expect(sent).toContain('fine');
  });
});

describe('OpenAI-compatible endpoints only', () => {
  const wants =
    (param: string, other: string) =>
    (seen: SeenRequest): Play =>
      other in seen.body
        ? status(400, {
            error: {
              message: `Unsupported parameter: '${other}' is not supported with this model. Use '${param}' instead.`,
              type: 'invalid_request_error',
              param: other,
              code: 'unsupported_parameter',
            },
          })
        : completion({ content: 'fine' });

  it.each([
    ['test-model', 'max_completion_tokens', 'max_tokens'],
    ['gpt-5-local', 'max_tokens', 'max_completion_tokens'],
  ])('%s is asked with %s once that was wanted, and from then on', async (name, param, other) => {
    const server = await provider(wants(param, other));
    const memory = createEndpointMemory();
    const model = opened(modelFor({ ...openAiAt(server.origin), model: name }, { memory }));
    expect(await model.complete(QUESTION, farDeadline())).toMatchObject({ ok: true, attempts: 2 });
    expect(await model.complete(QUESTION, farDeadline())).toMatchObject({ ok: true, attempts: 1 });
    const other2 = opened(modelFor({ ...openAiAt(server.origin), model: 'another' }, { memory }));
    await other2.complete(QUESTION, farDeadline());
    expect(param in (server.requests[1]?.body ?? {})).toBe(true);
    expect(Object.keys(memory.snapshot())).toContain(`openai ${server.origin}/v1 ${name}`);
  });

  it('an endpoint that takes neither name is not asked for ever', async () => {
    const server = await provider((seen) =>
      status(400, {
        error: {
          message: `${'max_tokens' in seen.body ? 'max_tokens' : 'max_completion_tokens'} is unknown`,
        },
      }),
    );
    const result = await opened(modelFor(openAiAt(server.origin))).complete(QUESTION, farDeadline());
    expect(result).toMatchObject({ ok: false, failure: { reason: 'bad_request' } });
    expect(server.requests).toHaveLength(3);
  });

  it('a limit that is too large is not answered with the other name', async () => {
    const server = await provider([
      status(400, { error: { message: 'max_tokens is too large: 600.', param: 'max_tokens' } }),
    ]);
    await opened(modelFor(openAiAt(server.origin))).complete(QUESTION, farDeadline());
    expect(server.requests).toHaveLength(1);
  });

  it('no choices is a bad answer that says what the filters said', async () => {
    const body = {
      choices: [],
      prompt_filter_results: [{ jailbreak: { filtered: true } }],
      usage: { prompt_tokens: 5 },
    };
    const server = await provider([{ body }]);
    const meter = createUsageMeter('m');
    const result = await opened(modelFor(openAiAt(server.origin), { meter })).complete(
      QUESTION,
      farDeadline(),
    );
    expect(result).toMatchObject({
      ok: false,
      failure: { reason: 'bad_answer', message: expect.stringContaining('jailbreak') },
    });
    expect(meter.drain()).toMatchObject({ input_tokens: 5, calls: 0, failed_attempts: 1 });
  });

  it('reasoning that used up the limit gets more room the next time', async () => {
    const server = await provider([
      completion({ content: null, reasoning_content: 'hm' }, { finish_reason: 'length' }),
    ]);
    const model = opened(modelFor(openAiAt(server.origin)));
    await model.complete(QUESTION, farDeadline());
    await model.complete(QUESTION, farDeadline());
    expect(server.requests.map((seen) => seen.body['max_tokens'])).toEqual([600, 2400]);
  });
});
