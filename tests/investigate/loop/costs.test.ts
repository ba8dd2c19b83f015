import { describe, expect, it, onTestFinished } from 'vitest';
import type { InvestigateConfig } from '../../../src/investigate/config.js';
import { DEFAULT_CONFIG } from '../../../src/investigate/config.js';
import { modelContinuation, withinCost } from '../../../src/investigate/loop/open-model.js';
import type { HealResult } from '../../../src/investigate/model/heal-result.js';
import { investigate } from '../../../src/investigate/run.js';
import { openWorld, setupOf } from '../fakes/run-case.js';
import { type Scripted, scripted, type Turn } from './scripted-model.js';
import { CART_STORE, citing, QUOTE } from './submissions.js';

const ASK: Turn = { call: 'list_commits', args: {} };

/** A claim that the evidence of the case supports to medium. */
const SUBMIT = citing(QUOTE, { file_path: CART_STORE, line_number: 194 });

async function run(
  change: Partial<InvestigateConfig>,
  model: Scripted,
  verifier?: Scripted,
): Promise<HealResult> {
  const world = await openWorld('cartFailure', true);
  onTestFinished(() => world.close());
  const config = { ...world.config, ...change };
  const continueWithModel = modelContinuation({
    model,
    ...(verifier && { verifier }),
    config,
    signal: new AbortController().signal,
  });
  return investigate({ ...setupOf(world), config, continueWithModel });
}

/** 100 tokens in, 50 out: 0.002 USD a request at this price. */
const PRICE = { inputUsd: 10, outputUsd: 20 };

describe('what the models of an investigation may cost', () => {
  it('ends the conversation; the result without a model says so', async () => {
    const model = scripted([ASK]);
    const result = await run({ maxCostUsd: 0.005, prices: { scripted: PRICE } }, model);
    expect(model.requests).toHaveLength(3);
    expect(result).toMatchObject({ mode: 'deterministic', budget: { exhausted: 'cost', model_requests: 3 } });
    expect(result.warnings.join()).toContain('the budget for cost is used up');
  });

  it('does not matter while it is enough', async () => {
    const result = await run({ maxCostUsd: 1, prices: { scripted: PRICE } }, scripted([ASK, SUBMIT]));
    expect(result).toMatchObject({ mode: 'llm', budget: { exhausted: null } });
  });

  it('of nothing asks no model', async () => {
    const model = scripted([SUBMIT]);
    const result = await run({ maxCostUsd: 0, prices: { scripted: PRICE } }, model);
    expect(model.requests).toEqual([]);
    expect(result).toMatchObject({ mode: 'deterministic', budget: { exhausted: 'cost' } });
  });

  it('cannot be kept without a price, so the model is left out, by name', () => {
    const model = scripted([SUBMIT]);
    const limited = { ...DEFAULT_CONFIG, maxCostUsd: 1, prices: { other: PRICE } };
    expect(withinCost(model, limited)).toEqual({
      model: null,
      warning: expect.stringMatching(/the model scripted was not asked.*price is not known/),
    });
    expect(withinCost(model, DEFAULT_CONFIG)).toEqual({ model, warning: null });
    expect(withinCost(model, { ...limited, prices: { scripted: PRICE } })).toEqual({ model, warning: null });
  });
});

describe('a second opinion', () => {
  const verdict = (band: string): Turn => ({
    call: 'verdict',
    args: { decision: 'Downgrade', target_band: band, reason: 'weak' },
  });
  const on = { verifierEnabled: true } as const;

  it('comes from the model of its own, once, and is counted', async () => {
    const [model, judge] = [scripted([SUBMIT]), scripted([verdict('low')])];
    const result = await run(on, model, judge);
    expect([model.requests.length, judge.requests.length]).toEqual([1, 1]);
    expect(judge.requests[0]?.tools?.map(({ name }) => name)).toEqual(['verdict']);
    expect(result.root_cause.confidence_level).toBe('low');
    expect(result.budget.model_requests).toBe(2);
  });

  it('sees receipts as data, each with at most 1500 characters', async () => {
    const judge = scripted([verdict('low')]);
    await run(on, scripted([SUBMIT]), judge);
    const [message] = judge.requests[0]?.messages ?? [];
    const text = message?.role === 'user' ? message.text : '';
    const framed = /<<evidence \w+>>\n(.*)\n<<end \w+>>/s.exec(text)?.[1] ?? '[]';
    const receipts: { excerpt: string; tool: string; class: string }[] = JSON.parse(framed);
    expect(receipts.length).toBeGreaterThan(0);
    for (const { excerpt } of receipts) expect(excerpt.length).toBeLessThanOrEqual(1500);
  });

  it('is not asked for below its band', async () => {
    const judge = scripted([verdict('low')]);
    const result = await run({ ...on, verifierMinBand: 'high' }, scripted([SUBMIT]), judge);
    expect(judge.requests).toEqual([]);
    expect(result.root_cause.confidence_level).toBe('medium');
  });

  it.each<[string, Turn]>([
    ['fails', { fail: 'server_error' }],
    ['refuses', { refusal: true }],
    ['talks', { text: 'fine by me' }],
    ['answers nonsense', { call: 'verdict', args: { decision: 7 } }],
  ])('that %s changes nothing but the warnings', async (_what, turn) => {
    const result = await run(on, scripted([SUBMIT]), scripted([turn]));
    expect(result.root_cause.confidence_level).toBe('medium');
    expect(result.warnings.join()).toContain('second opinion');
  });

  it('is charged at its own price, and left out when nothing is left', async () => {
    const limits = { ...on, maxCostUsd: 0.002, prices: { scripted: PRICE } };
    const judge = scripted([verdict('low')]);
    const result = await run(limits, scripted([SUBMIT]), judge);
    expect(judge.requests).toEqual([]);
    expect(result.root_cause.confidence_level).toBe('medium');
    expect(result.warnings.join()).toContain('no second opinion was asked for');
  });
});
