import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAnthropicAnswer } from '../../src/llm/anthropic-answer.js';
import { createBudget } from '../../src/llm/budget.js';
import { deadlineIn, isTimeout } from '../../src/llm/deadline.js';
import { readErrorBody } from '../../src/llm/error-body.js';
import { parseOpenAiAnswer } from '../../src/llm/openai-answer.js';
import { createEndpointMemory, learnFromRefusal } from '../../src/llm/quirks.js';
import { redactWithOwn } from '../../src/llm/redaction.js';
import { PATIENT_RETRIES, TICK_RETRIES, waitBeforeRetry } from '../../src/llm/retry.js';
import { retryAfterSeconds } from '../../src/llm/retry-after.js';
import { shareThatFits, shrinkRequest } from '../../src/llm/shrink.js';
import { createUsageMeter } from '../../src/llm/usage.js';
import { openAiAt, QUESTION } from './support.js';

const USAGE = {
  inputTokens: 1000,
  outputTokens: 200,
  cacheCreationInputTokens: 0,
  cacheReadInputTokens: 500,
};

describe('a budget', () => {
  it.each([
    [{ maxRequests: 1 }, 'requests'],
    [{ maxInputTokens: 1500 }, 'input_tokens'],
    [{ maxOutputTokens: 200 }, 'output_tokens'],
    [{ maxWallMs: 50 }, 'wall_time'],
    [{ maxCost: { usd: 0.006, price: { inputUsd: 3, outputUsd: 15, cacheReadUsd: 0.3 } } }, 'cost'],
  ])('%j ends at its limit of %s and not before', (limits, name) => {
    let now = 0;
    const budget = createBudget(limits, { now: () => now, sleep: async () => undefined });
    expect(budget.exceeded()).toBeNull();
    budget.request();
    budget.charge(USAGE, 0, 0);
    now = 50;
    expect(budget.exceeded()).toBe(name);
    expect(budget.usedShare()).toBe(1);
  });

  it('says how much of it is used: the concluding turn comes at 80 %', () => {
    const budget = createBudget({ maxRequests: 10, maxOutputTokens: 1000 });
    for (let i = 0; i < 8; i += 1) budget.request();
    expect(budget.usedShare()).toBeCloseTo(0.8);
    budget.charge({ ...USAGE, outputTokens: 900 }, 0, 0);
    expect(budget.usedShare()).toBeCloseTo(0.9);
  });

  it('estimates where the provider does not count, and knows no cost without a price', () => {
    const budget = createBudget({});
    budget.charge(undefined, 401, 39);
    expect(budget.spent()).toMatchObject({ inputTokens: 101, outputTokens: 10, costUsd: null });
    expect([budget.exceeded(), budget.usedShare(), budget.remainingMs()]).toEqual([
      null,
      0,
      Number.POSITIVE_INFINITY,
    ]);
  });

  it('a limit of 0 allows nothing', () => {
    expect(createBudget({ maxRequests: 0 }).exceeded()).toBe('requests');
  });
});

describe('the usage meter', () => {
  it('sums successes, adds what failures cost, and starts again', () => {
    const meter = createUsageMeter('m');
    meter.succeeded(USAGE, 10.4);
    meter.succeeded(undefined, 10.2);
    meter.failed({ ...USAGE, outputTokens: 1 });
    expect(meter.drain()).toEqual({
      input_tokens: 2000,
      output_tokens: 201,
      calls: 2,
      latency_ms: 21,
      model: 'm',
      cache_read_input_tokens: 1000,
      failed_attempts: 1,
    });
    meter.failed();
    expect(meter.drain()).toBeNull();
  });
});

describe('a deadline', () => {
  it('is never later than its parent, and follows it', () => {
    const parent = new AbortController();
    const own = deadlineIn(60_000, { signal: parent.signal, remainingMs: () => 50 });
    expect(own.remainingMs()).toBeLessThanOrEqual(50);
    parent.abort();
    expect([own.signal.aborted, isTimeout(own.signal), own.remainingMs()]).toEqual([true, false, 0]);
    expect(deadlineIn(1000, own).signal.aborted).toBe(true);
  });

  it('has a signal that says that time ran out', async () => {
    const own = deadlineIn(5);
    await new Promise((resolve) => own.signal.addEventListener('abort', resolve));
    expect(isTimeout(own.signal)).toBe(true);
  });

  it('cleared, it does not fire and does not follow', () => {
    const parent = new AbortController();
    const own = deadlineIn(5, { signal: parent.signal, remainingMs: () => 5 });
    own.clear();
    parent.abort();
    expect(own.signal.aborted).toBe(false);
  });
});

describe('waiting before a retry', () => {
  const busy = { reason: 'server_error', message: '' } as const;

  it('doubles up to its limit, minus at most a quarter', () => {
    const waits = [0, 1, 2, 9].map((done) =>
      waitBeforeRetry(busy, done, 1e6, { ...PATIENT_RETRIES, maxRetries: 10 }, () => 0),
    );
    expect(waits).toEqual([500, 1000, 2000, 8000]);
    expect(waitBeforeRetry(busy, 0, 1e6, TICK_RETRIES, () => 1)).toBe(375);
  });

  it('never takes more time than is left for a further attempt', () => {
    const failure = fc.record({
      reason: fc.constantFrom('server_error', 'rate_limited', 'bad_request', 'timed_out' as const),
      message: fc.constant(''),
      retryAfterS: fc.option(fc.double({ min: 0, max: 100, noNaN: true }), { nil: undefined }),
    });
    fc.assert(
      fc.property(
        failure,
        fc.nat(4),
        fc.double({ min: 0, max: 40_000, noNaN: true }),
        ({ retryAfterS, ...rest }, done, left) => {
          const given = { ...rest, ...(retryAfterS !== undefined && { retryAfterS }) };
          const wait = waitBeforeRetry(given, done, left, PATIENT_RETRIES, () => 0.5);
          if (wait === null) return;
          expect(rest.reason).not.toBe('bad_request');
          expect(done).toBeLessThan(PATIENT_RETRIES.maxRetries);
          expect(left - wait).toBeGreaterThanOrEqual(PATIENT_RETRIES.leastRemainingMs);
          expect(wait).toBeGreaterThanOrEqual((retryAfterS ?? 0) * 1000);
          expect(wait).toBeGreaterThan(0);
        },
      ),
    );
  });

  it.each<[Record<string, string>, number | undefined]>([
    [{ 'retry-after': ' 7 ' }, 7],
    [{ 'retry-after': '1.5' }, 1.5],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 0.25],
    [{ 'retry-after': 'Mon, 02 Mar 2026 06:40:10 GMT' }, 10],
    [{ 'retry-after': 'Monday, 02-Mar-26 06:40:10 GMT' }, 10],
    [{ 'retry-after': 'Mon, 02 Mar 2026 06:00:00 GMT' }, 0],
    [{ 'retry-after': '-3' }, undefined],
    [{ 'retry-after': '2026-03-02' }, undefined],
    [{ 'retry-after': 'later' }, undefined],
    [{}, undefined],
  ])('%j asks for %s s', (headers, seconds) => {
    expect(retryAfterSeconds(headers, Date.UTC(2026, 2, 2, 6, 40, 0))).toBe(seconds);
  });
});

describe('shrinking', () => {
  const texts = fc.array(fc.string({ maxLength: 3000, unit: 'grapheme' }), { maxLength: 5 });

  it('cuts the longest texts, keeps the rest and both ends, and leaves no broken characters', () => {
    fc.assert(
      fc.property(texts, fc.double({ min: 0.05, max: 0.9, noNaN: true }), (parts, share) => {
        const messages = parts.map((text) => ({ role: 'user' as const, text }));
        const total = parts.join('').length;
        const smaller = shrinkRequest({ ...QUESTION, messages }, share);
        if (!smaller) return;
        const after = smaller.messages.map((message) => (message.role === 'user' ? message.text : ''));
        expect(after.join('').length).toBeLessThanOrEqual(total * share + 1);
        expect(after.join('')).not.toMatch(/\p{Surrogate}/u);
        for (const [index, text] of after.entries()) {
          if (text !== parts[index]) expect(text.slice(0, 20)).toBe((parts[index] ?? '').slice(0, 20));
        }
      }),
    );
  });

  it('shortens tool results, never what the model said, and gives up on what is short', () => {
    const said = { role: 'assistant' as const, text: 'a'.repeat(5000), toolCalls: [] };
    const results = [{ callId: '1', content: 'r'.repeat(5000), isError: false }];
    const smaller = shrinkRequest({ ...QUESTION, messages: [said, { role: 'tool', results }] }, 0.5);
    expect(smaller?.messages[0]).toEqual(said);
    expect(JSON.stringify(smaller?.messages[1]).length).toBeLessThan(2700);
    expect(shrinkRequest(QUESTION, 0.5)).toBeNull();
    expect(shrinkRequest({ ...QUESTION, messages: [] }, 0.5)).toBeNull();
  });

  it.each([
    ['prompt is too long: 204308 tokens > 128000 maximum', 0.5],
    ['maximum context length is 8,192 tokens, you sent 81,920', 0.08],
    ['context_length_exceeded', 0.5],
    ['4096 of 4096', 0.5],
  ])('%j leaves room for %f', (message, share) => {
    expect(shareThatFits(message)).toBeCloseTo(share);
  });
});

describe('what endpoints teach', () => {
  it('is kept for a bounded number of them, and read back with care', () => {
    const memory = createEndpointMemory({
      a: { output_limit: 'max_tokens', without_temperature: true, least_output_tokens: 1e9 },
      b: 7,
      c: { output_limit: 'x', least_output_tokens: -1 },
    });
    expect(memory.recall('a')).toEqual({
      outputLimit: 'max_tokens',
      withoutTemperature: true,
      leastOutputTokens: 16_384,
    });
    expect([memory.recall('b'), memory.recall('c'), memory.recall('d')]).toEqual([{}, {}, {}]);
    for (let i = 0; i < 100; i += 1) memory.learn(`k${i}`, { withoutTemperature: true });
    expect(Object.keys(memory.snapshot())).toHaveLength(32);
    expect(memory.recall('k99')).toEqual({ withoutTemperature: true });
  });

  it.each<[string, string[], unknown]>([
    [
      "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'.",
      ['max_tokens'],
      { outputLimit: 'max_completion_tokens' },
    ],
    [
      'max_completion_tokens: Extra inputs are not permitted',
      ['max_completion_tokens'],
      { outputLimit: 'max_tokens' },
    ],
    ['`temperature` is deprecated for this model', ['temperature'], { withoutTemperature: true }],
    ['max_tokens must be at most 512', ['max_tokens'], null],
    ['unknown parameter: my_max_tokens', ['max_tokens'], null],
    ['temperature is not allowed', ['max_tokens'], null],
    ['no such model', ['max_tokens', 'temperature'], null],
  ])('%j after %j', (message, sent, lesson) => {
    expect(learnFromRefusal({ message, words: [], param: undefined }, sent)).toEqual(lesson);
  });
});

describe('foreign bodies', () => {
  it('never break a parser', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        const record =
          typeof body === 'object' && body !== null && !Array.isArray(body)
            ? JSON.parse(JSON.stringify(body))
            : {};
        for (const parse of [parseOpenAiAnswer, parseAnthropicAnswer]) {
          expect(typeof parse(record).ok).toBe('boolean');
          expect(typeof parse({ choices: [{ message: record }], content: [record] }).ok).toBe('boolean');
        }
        expect(readErrorBody(JSON.stringify(body)).message.length).toBeLessThanOrEqual(300);
      }),
    );
    fc.assert(fc.property(fc.string(), (text) => readErrorBody(text).message.length <= 300));
  });
});

describe('redaction of our own credentials', () => {
  it('knows them plain, URL-encoded and in base64', () => {
    const key = 'k/ey+with=signs';
    const redact = redactWithOwn((text) => text, {
      ...openAiAt('http://h'),
      key,
      headers: { 'X-Team': 'team-secret' },
    });
    const forms = [
      key,
      encodeURIComponent(key),
      Buffer.from(key).toString('base64'),
      Buffer.from(key).toString('base64url'),
      'team-secret',
    ];
    for (const form of forms) expect(redact(`a ${form} b`)).toBe('a [redacted] b');
  });
});
