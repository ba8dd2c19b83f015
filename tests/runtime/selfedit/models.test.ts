import { describe, expect, it, onTestFinished } from 'vitest';
import { createModels } from '../../../src/runtime/selfedit/models.js';
import { buildCases } from '../../../src/selfedit/cases/build-cases.js';
import type { SelfeditConfig } from '../../../src/selfedit/config/fields.js';
import { DEFAULT_SELFEDIT_CONFIG } from '../../../src/selfedit/config/parse-config.js';
import { notingClock } from '../../llm/support.js';
import { completion, type Play, startProvider } from '../../support/provider-server.js';

const [one] = buildCases(1, 1, '');
if (one === undefined) throw new Error('no case');

const PRICES = { 'test-model': { in: 1, out: 10 } };

async function modelsAt(
  script: readonly Play[],
  change: Partial<SelfeditConfig> = {},
  attemptTimeoutMs = 30_000,
) {
  const server = await startProvider(script);
  const clock = notingClock();
  const env = { OPENAI_BASE_URL: `${server.origin}/v1`, OPENAI_API_KEY: 'sk-x', LLM_MODEL: 'test-model' };
  const config = { ...DEFAULT_SELFEDIT_CONFIG, prices: PRICES, ...change };
  const models = createModels(config, { env }, { clock, attemptTimeoutMs });
  onTestFinished(async () => {
    await models.close();
    await server.close();
  });
  return { models, server, clock };
}

const failing = (status: number, headers: Readonly<Record<string, string>> = {}): Play => ({
  status,
  headers,
  body: { error: { message: 'no' } },
});

describe('a call that fails (spec 08 §22)', () => {
  it.each<[string, Play, string]>([
    ['too many requests', failing(429), 'rate_limit'],
    ['a broken server', failing(500), 'server'],
    ['a connection that is closed', 'reset', 'network'],
  ])(
    'for %s is tried four times more, waiting 1, 2, 4 and 8 s less some chance',
    async (_what, play, kind) => {
      const { models, server, clock } = await modelsAt([play]);
      const result = await models.executor.answer('prompt', one, 0);
      expect(result).toMatchObject({ ok: false, kind, usage: { calls: 5 } });
      expect(server.requests).toHaveLength(5);
      expect(clock.waits).toHaveLength(4);
      for (const [index, wait] of clock.waits.entries()) {
        expect(wait).toBeLessThanOrEqual(1000 * 2 ** index);
        expect(wait).toBeGreaterThanOrEqual(750 * 2 ** index);
      }
    },
  );

  it('waits as long as the endpoint asks, and counts every request', async () => {
    const { models, clock } = await modelsAt([
      failing(429, { 'retry-after': '3' }),
      completion({ content: 'x' }),
    ]);
    expect(await models.executor.answer('prompt', one, 0)).toMatchObject({ ok: true, usage: { calls: 2 } });
    expect(clock.waits).toEqual([3000]);
  });

  it.each<[string, Play, string]>([
    ['a refused key', failing(401), 'auth'],
    ['a model that is not there', failing(404), 'auth'],
    ['a request that is not understood', failing(400), 'bad_request'],
  ])('for %s is final', async (_what, play, kind) => {
    const { models, server, clock } = await modelsAt([play]);
    expect(await models.executor.answer('prompt', one, 0)).toMatchObject({ ok: false, kind });
    expect({ calls: server.requests.length, waits: clock.waits }).toEqual({ calls: 1, waits: [] });
  });

  it('has a kind when nobody answers, and when what comes is no answer', async () => {
    const hanging = await modelsAt(['hang'], {}, 50);
    expect(await hanging.models.executor.answer('prompt', one, 0)).toMatchObject({
      ok: false,
      kind: 'timeout',
    });
    const page = await modelsAt([{ body: '<html>' }]);
    expect(await page.models.executor.answer('prompt', one, 0)).toMatchObject({
      ok: false,
      kind: 'server',
      usage: { estimated: true },
    });
  });
});

describe('the models of a run', () => {
  it('are told apart by endpoint and settings, so that no answer of another one is used again', async () => {
    const plain = await modelsAt([completion({ content: 'x' })]);
    const warm = await modelsAt([completion({ content: 'x' })], {
      roles: { ...DEFAULT_SELFEDIT_CONFIG.roles, executor: { temperature: 0.7 } },
    });
    const prints = [plain, warm].map(({ models }) => models.executor.fingerprint);
    expect(new Set(prints).size).toBe(2);
    expect(prints[0]).toContain('127.0.0.1');
    expect(prints.join()).not.toContain('sk-x');
  });

  it('have a judge only where one is named, and price it like the others', async () => {
    expect((await modelsAt([])).models).toMatchObject({ judge: null, isPriced: true, isFree: false });
    const roles = { ...DEFAULT_SELFEDIT_CONFIG.roles, judge: { model: 'judge' } };
    await expect(modelsAt([], { roles })).rejects.toThrow(/price of the model judge/);
    const { models } = await modelsAt([], { roles, allow_unpriced: true });
    expect(models.isPriced).toBe(false);
    expect(models.judge?.model).toBe('judge');
  });

  it('are free when all prices are 0, and then have a limit of time', async () => {
    const prices = { 'test-model': { in: 0, out: 0 } };
    expect((await modelsAt([], { prices })).models).toMatchObject({ isFree: true, isPriced: true });
  });

  it('measure drift by vectors only when told to, with a priced model', async () => {
    const roles = { ...DEFAULT_SELFEDIT_CONFIG.roles, embedding: { model: 'vectors' } };
    await expect(modelsAt([], { roles, drift_method: 'embedding' })).rejects.toThrow(
      /model vectors \(embedding\)/,
    );
    expect((await modelsAt([], { roles })).models.isPriced).toBe(true);
  });
});
