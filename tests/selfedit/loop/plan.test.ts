import { describe, expect, it, onTestFinished } from 'vitest';
import { planText } from '../../../src/runtime/selfedit/plan-text.js';
import { demoEdits } from '../../../src/selfedit/demo/demo-edits.js';
import { demoParts, demoProposal, demoSettings } from '../../../src/selfedit/demo/run-demo.js';
import type { LoopParts } from '../../../src/selfedit/loop/parts.js';
import { type PlanOptions, planRun } from '../../../src/selfedit/loop/plan.js';
import { runLoop } from '../../../src/selfedit/loop/run-loop.js';
import { openStore } from '../../../src/selfedit/store/open-store.js';
import { tempDir } from '../../support/temp-dir.js';

const options: PlanOptions = {
  seed: 7,
  iterations: 2,
  isPriced: true,
  analyzerUsd: { most: 0.1, likely: 0.04 },
  budgetUsd: 100,
  dayLeftUsd: 100,
};

async function priced(change: Partial<LoopParts['executor']> = {}): Promise<LoopParts> {
  const opened = await openStore(':memory:');
  if (!opened.ok) throw new Error(opened.problem);
  onTestFinished(() => {
    opened.db.close();
  });
  const parts = await demoParts({ seed: 7, churn: 0, directory: tempDir(), db: opened.db });
  const executor = { ...parts.executor, worstCaseUsd: () => 0.01, likelyUsd: () => 0.002, ...change };
  return { ...parts, executor };
}

describe('a plan (spec 08 §24.3)', () => {
  it('bounds the cost of every stage, and of the run', async () => {
    const { calls, usd, likely } = planRun(await priced(), options);
    expect(calls).toEqual({
      baseline: 95,
      analyzer: 2,
      screen: 190,
      confirm: 360,
      sentinels: 190,
      audit: 90,
      // Four edits an iteration with the merge; five tests in the epoch.
      run: 2 * 97 + 8 * 190 + 5 * 550 + 90,
    });
    expect(usd?.confirm).toBeCloseTo(3.6, 9);
    expect(usd?.run).toBeCloseTo(2 * (0.95 + 0.2) + 8 * 1.9 + 5 * 5.5 + 0.9, 9);
    expect(likely.calls).toBe(2 * 97 + 6 * 190 + 2 * 360 + 90);
    expect(likely.usd).toBeCloseTo(2 * (0.19 + 0.04) + 6 * 0.38 + 2 * 0.72 + 0.18, 9);
  });

  it('counts replicates of a sampled provider', async () => {
    const { calls } = planRun(await priced({ isDeterministic: false }), options);
    expect(calls).toMatchObject({ baseline: 95, screen: 570, confirm: 1080, sentinels: 7 * 95 });
  });

  it('knows no cost without prices, and a better guess after a run', async () => {
    const parts = await priced();
    expect(planRun(parts, { ...options, isPriced: false })).toMatchObject({
      usd: null,
      likely: { usd: null },
    });
    const spent = { role: 'executor', model: 'demo', calls: 10, tokens: 0, usd: 0.05, estimated: false };
    parts.runs.spend('r', spent);
    const { likely } = planRun(parts, options);
    expect(likely.usd).toBeCloseTo((likely.calls - 4) * 0.005 + 2 * 0.04, 9);
  });

  it.each([
    ['the run', { budgetUsd: 30 }, 'may stop before its last stage'],
    ['a first test', { budgetUsd: 5 }, 'a first test can take'],
    ['a first screen', { dayLeftUsd: 1 }, 'a first screen can take'],
  ])('says when the budget does not cover %s', async (_what, change, words) => {
    const { warnings, feasible } = planRun(await priced(), { ...options, ...change });
    expect(warnings.join()).toContain(words);
    expect(feasible).toBe(true);
    expect(planRun(await priced(), options).warnings.join()).not.toContain('USD');
  });

  it('is infeasible when the prompt fails on fewer cases than a pass needs wins', async () => {
    const parts = await priced();
    expect(planRun(parts, options)).toMatchObject({ baseline: null, feasible: true, fewest_wins: 6 });
    const perfect: LoopParts = {
      ...parts,
      executor: {
        ...parts.executor,
        answer: async (_prompt, one) => ({
          ok: true,
          text: `cause: ${one.expected.class}`,
          usage: { calls: 1, inputTokens: 0, outputTokens: 0, usd: 0, estimated: false, latencyMs: 0 },
        }),
      },
      propose: async ({ base }) => ({
        proposals: demoEdits(7)
          .filter(({ label }) => label === 'g1')
          .map((one) => demoProposal(one, base, parts.cases.dev)),
        problems: [],
        usage: null,
        model: 'script',
        isExhausted: true,
      }),
    };
    await runLoop(perfect, { ...demoSettings({ seed: 7 }), budgetUsd: 100 });
    const plan = planRun(parts, options);
    expect(plan).toMatchObject({
      baseline: { dev_cases: 95, pass_share: 1, failing_confirm: 0 },
      feasible: false,
    });
    expect(plan.reasons).toEqual([expect.stringContaining('fewer than the 6 wins')]);
  });

  it('fits a terminal', async () => {
    const text = planText(planRun(await priced(), { ...options, budgetUsd: 5 }));
    expect(text).toContain('test, edit                 360 calls      3.6000 USD');
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });
});
