import { describe, expect, it } from 'vitest';
import { generateDataset, labelledRows } from '../../../src/rx/learner/dataset.js';
import { ReferencePrioritizer } from '../../../src/rx/learner/reference-prioritizer.js';
import { pairsUsed, studyOptimum } from '../../../src/rx/loop/optimum-study.js';
import { type LoopProgress, runLoop } from '../../../src/rx/loop/run-loop.js';
import type { Iteration, RunResult } from '../../../src/rx/loop/run-result.js';
import { attemptSeed } from '../../../src/rx/loop/seed-blocks.js';
import { DEFAULT_SETTINGS, REFERENCE_SETTINGS } from '../../../src/rx/loop/settings.js';
import { simulatorParts } from '../../../src/rx/loop/simulated.js';
import type { SimulatorStreams } from '../../../src/rx/simulator/draws.js';
import { simulateMetrics } from '../../../src/rx/simulator/simulate.js';
import { type ReferenceRun, referenceMetrics } from '../../support/rx-metrics.js';

const OPTIMUM = { planner_consistency: 0.95, navigator_retries: 1, timeout_ms: 1600, friction_rate: 0.2 };
const actions = (run: RunResult): string[] => run.iterations.map((iteration) => iteration.action_id);

describe('reference mode', () => {
  it('reproduces the default run of the reference, every iteration and the headline', async () => {
    const run = await runLoop(simulatorParts(REFERENCE_SETTINGS), REFERENCE_SETTINGS);
    expect(run.iterations).toHaveLength(7);
    expectSameRun(run, referenceMetrics().demo_default);
    expect(run.end).toBe('converged');
  });

  it('reproduces the run that starts with the pretrained prioritizer', async () => {
    const rows = generateDataset({ episodes: 60, streams: 'reference', seeds: 'reference' });
    const primed = new ReferencePrioritizer(labelledRows(rows, 'z'));
    const run = await runLoop(simulatorParts(REFERENCE_SETTINGS, primed), REFERENCE_SETTINGS);
    expect(run.iterations).toHaveLength(6);
    expectSameRun(run, referenceMetrics().demo_pretrained);
  });

  it('does nothing with no iterations, and compares the configuration with itself', async () => {
    const run = await runLoop(simulatorParts(REFERENCE_SETTINGS), { ...REFERENCE_SETTINGS, max_iters: 0 });
    expect(run).toMatchObject({ iterations: [], accepted: [], precision: 0, end: 'max_iters' });
    expect(run.overall).toMatchObject({ control_failures: 1197, treatment_failures: 1197, z: 0, p_value: 1 });
  });
});

describe('the default gate', () => {
  it('reaches the optimum on independent streams as the golden run does', async () => {
    const run = await runLoop(simulatorParts(DEFAULT_SETTINGS), DEFAULT_SETTINGS);
    const golden = referenceMetrics().independent_streams.loop_hybrid_gate_fresh_blocks;
    expect(actions(run)).toEqual(golden.map((attempt) => attempt.action_id));
    run.iterations.forEach((iteration, i) => {
      const attempt = golden[i];
      expect(iteration.paired?.alpha_k).toBe(attempt?.alpha_k);
      expect(iteration.accepted).toBe(attempt?.accepted);
      if (attempt?.accepted) expect(iteration.paired?.n_decision).toBe(attempt.first_accepting_pair);
      expect(wholeBlock(iteration, run, i + 1, 'independent')).toEqual([
        attempt?.control_failures,
        attempt?.treatment_failures,
      ]);
    });
    expect(run.iterations.map((iteration) => iteration.verdict)).toEqual([
      'accept',
      'accept',
      'accept',
      'accept',
      'inert',
      'inert',
    ]);
    expect(run.final_config).toEqual(OPTIMUM);
    expect(pairsUsed(run)).toBe(58);
    expect(run.confirmation).toMatchObject({
      control_failures: 5863,
      treatment_failures: 1777,
      total: 12000,
    });
    expect(run.precision).toBe(1);
    for (const iteration of run.iterations.slice(0, 4)) {
      expect(iteration.paired?.attribution).toBe(1);
      expect(iteration.paired?.guard.every(({ safe }) => safe)).toBe(true);
    }
  });

  it('accepts the same four fixes on reference streams, within six attempts', async () => {
    const settings = { ...DEFAULT_SETTINGS, streams: 'reference' } as const;
    const run = await runLoop(simulatorParts(settings), settings);
    expect(actions(run).slice(0, 4)).toEqual([
      'add_navigator_retry',
      'raise_planner_consistency',
      'raise_planner_consistency',
      'raise_timeout',
    ]);
    expect(run.iterations).toHaveLength(6);
    expect(run.final_config).toEqual(OPTIMUM);
    expect(pairsUsed(run)).toBe(90);
    const forTheGuard = run.iterations.map(
      ({ paired }) => (paired?.n_pairs ?? 0) - (paired?.n_decision ?? 0),
    );
    expect(forTheGuard.reduce((sum, n) => sum + n)).toBe(13);
    expect(run.confirmation).toMatchObject({
      control_failures: 5874,
      treatment_failures: 1709,
      total: 12000,
    });
    expect(run.confirmation?.effect).toBeCloseTo(0.3471, 4);
    expect(run.confirmation?.effect_low).toBeCloseTo(0.3337, 4);
    expect(run.confirmation?.effect_high).toBeCloseTo(0.3604, 4);
  });

  it('says so when nothing was confirmed', async () => {
    const run = await runLoop(simulatorParts(DEFAULT_SETTINGS), {
      ...DEFAULT_SETTINGS,
      confirm_runs: 0,
      max_iters: 1,
    });
    expect(run).toMatchObject({ overall: null, confirmation: null, end: 'max_iters' });
    expect(run.notes.join(' ')).toContain('Not confirmed');
  });

  it('tells a watcher what it does', async () => {
    const seen: LoopProgress['stage'][] = [];
    const parts = {
      ...simulatorParts(DEFAULT_SETTINGS),
      onProgress: (p: LoopProgress) => seen.push(p.stage),
    };
    await runLoop(parts, { ...DEFAULT_SETTINGS, max_iters: 1, confirm_runs: 3 });
    expect(seen).toEqual(['discovery', 'attempt', 'verdict', 'headline']);
  });
});

describe('forty seed sets on reference streams', () => {
  it('reach the optimum in 40 of 40 runs with the default gate and in 17 with the z-test', async () => {
    const ours = await studyOptimum({ ...DEFAULT_SETTINGS, streams: 'reference' }, 40);
    expect(ours.optimal).toBe(40);
    expect(ours.mean_attempts).toBeLessThanOrEqual(6.1);
    const reference = await studyOptimum(REFERENCE_SETTINGS, 40);
    expect(reference.optimal).toBe(17);
    expect(reference.mean_attempts).toBeCloseTo(7.1, 1);
    expect(ours.mean_pairs).toBeLessThan(reference.mean_pairs / 2);
  });
});

/** Failures of both arms over all forty seeds of the attempt's block, wherever the gate stopped. */
function wholeBlock(iteration: Iteration, run: RunResult, k: number, streams: SimulatorStreams): number[] {
  const control = { ...OPTIMUM, ...run.baseline_config };
  for (const earlier of run.iterations.slice(0, k - 1)) {
    if (earlier.accepted) Object.assign(control, { [earlier.patch.knob]: earlier.patch.to });
  }
  const treatment = { ...control, [iteration.patch.knob]: iteration.patch.to };
  return [control, treatment].map((config) => {
    let failures = 0;
    for (let i = 0; i < 40; i += 1) {
      failures += simulateMetrics(config, streams, attemptSeed(run.seed, k) + i, 20).failures;
    }
    return failures;
  });
}

function expectSameRun(run: RunResult, golden: ReferenceRun): void {
  run.iterations.forEach((iteration, i) => {
    expectClose(iteration, golden.iterations[i] ?? {});
  });
  expectClose(run.overall ?? {}, golden.overall);
  expectClose(run.prioritizer_metrics, golden.prioritizer_metrics);
  expect(run.accepted).toEqual(golden.accepted);
  expect(run.precision).toBe(golden.precision);
  expect(run.final_config).toEqual(golden.final_config);
  expect(run.final_regime).toBe(golden.final_regime);
}

/** Everything that the golden object has, numbers to 1e-9 relative. */
function expectClose(got: object, want: object): void {
  for (const [key, value] of Object.entries(want)) {
    const actual: unknown = Reflect.get(got, key);
    if (typeof value === 'number' && typeof actual === 'number') {
      expect(Math.abs(actual - value), key).toBeLessThanOrEqual(1e-9 * Math.abs(value));
    } else {
      expect(actual, key).toEqual(value);
    }
  }
}
