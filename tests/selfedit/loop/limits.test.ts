import { describe, expect, it, onTestFinished } from 'vitest';
import { demoEdits } from '../../../src/selfedit/demo/demo-edits.js';
import { demoParts, demoProposal, demoSettings } from '../../../src/selfedit/demo/run-demo.js';
import type { LoopParts } from '../../../src/selfedit/loop/parts.js';
import { runLoop } from '../../../src/selfedit/loop/run-loop.js';
import { openStore } from '../../../src/selfedit/store/open-store.js';
import { tempDir } from '../../support/temp-dir.js';

/** Parts of a demo with one edit an iteration, and what the analyzer was told. */
async function parts(labels: readonly string[]): Promise<{ parts: LoopParts; told: (readonly string[])[] }> {
  const opened = await openStore(':memory:');
  if (!opened.ok) throw new Error(opened.problem);
  onTestFinished(() => {
    opened.db.close();
  });
  const told: (readonly string[])[] = [];
  const demo = await demoParts({ seed: 7, churn: 0, directory: tempDir(), db: opened.db });
  const edits = labels.flatMap((label) => demoEdits(7).filter((one) => one.label === label));
  const propose: LoopParts['propose'] = async ({ base, iteration, failures, feedback }) => {
    told.push([...feedback]);
    await failures();
    const edit = edits[iteration - 1];
    return {
      proposals: edit ? [demoProposal(edit, base, demo.cases.dev)] : [],
      problems: [],
      usage: null,
      model: 'script',
      isExhausted: edit === undefined,
    };
  };
  return { parts: { ...demo, propose }, told };
}

const settings = demoSettings({ seed: 7 });

describe('limits of a run', () => {
  it('of time hold for models that cost nothing, between stages, and the run can go on', async () => {
    const { parts: own } = await parts(['g1', 'g2']);
    let hours = 0;
    const clock = { ...own, now: () => 1_700_000_000 + 3600 * hours };
    const slow: LoopParts = {
      ...clock,
      config: { ...own.config, budget_h_run: 5 },
      onProgress: ({ what }) => {
        if (what.startsWith('screening')) hours += 6;
      },
    };
    const first = await runLoop(slow, settings);
    expect(first).toMatchObject({ status: 'stopped_time', end_version: 1 });
    expect(first.stopped).toContain('6.0 h of the 5 h');
    expect(first.notes.join()).toContain('--resume demo-7');
    expect(own.ledger.rows()).toEqual([]);
    const second = await runLoop(clock, settings);
    expect(second).toMatchObject({ status: 'done', end_version: 3 });
    hours = 0;
    const { parts: paid } = await parts(['g1']);
    const dear = {
      ...slow,
      ...paid,
      now: slow.now,
      onProgress: slow.onProgress,
      config: slow.config,
      isFree: false,
    };
    expect(await runLoop(dear, settings)).toMatchObject({ status: 'done', end_version: 2 });
  });

  it('of money are asked before the first call, too', async () => {
    const { parts: own } = await parts(['g1']);
    let calls = 0;
    const executor: LoopParts['executor'] = {
      ...own.executor,
      worstCaseUsd: () => 0.01,
      answer: (...question) => {
        calls += 1;
        return own.executor.answer(...question);
      },
    };
    const report = await runLoop({ ...own, executor }, { ...settings, budgetUsd: 0.9 });
    expect(report).toMatchObject({ status: 'stopped_budget', baseline: null });
    expect(report.stopped).toContain('0.9500 USD, and 0.9000 USD are left');
    expect(calls).toBe(0);
  });
});

describe('what the analyzer is told', () => {
  it('holds what became of the edits of earlier runs of the epoch, of a confirmation no figures', async () => {
    const { parts: own, told } = await parts(['h1', 'g1']);
    await runLoop(own, settings);
    expect(told[0]).toEqual([]);
    expect(told[1]).toMatchObject([expect.stringMatching(/screened_out, \d+ wins and \d+ losses on dev/)]);
    await runLoop(own, { ...settings, runId: 'later', iterations: 1 });
    expect(told.at(-1)).toMatchObject([
      expect.stringContaining('screened_out'),
      expect.stringMatching(/: promoted$/),
    ]);
  });
});

describe('the report of a run', () => {
  it('has the baseline by segment, and costs by stage', async () => {
    const { parts: own } = await parts(['g1']);
    const report = await runLoop(own, settings);
    expect(report.baseline).toMatchObject({ version: 1, passed: 44, n: 95 });
    expect(report.baseline?.segments).toHaveLength(8);
    expect(report.edits[0]?.costs).toMatchObject([
      { stage: 'screen', calls: 95 },
      { stage: 'confirm', calls: 360 },
    ]);
    expect(report.epoch_cost).toMatchObject({ epoch: 1, usd: 0, promotions: 1 });
    const { wins = 0, losses = 0, n = 1 } = report.edits[0]?.confirm ?? {};
    expect(own.registry.meta(2)).toMatchObject({
      model_version: 'demo',
      token_cost: 0,
      changed_section: 'body',
      ab_results: { winner: 'b', n_trials: n },
      gate_result: { decision: 'promote', reason: `${wins} wins, ${losses} losses in ${n} pairs` },
    });
    expect(report.epoch_cost.net_points).toBeCloseTo((100 * (wins - losses)) / n, 9);
  });
});
