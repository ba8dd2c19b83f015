import { describe, expect, it } from 'vitest';
import { type LoopProgress, runLoop } from '../../../src/rx/loop/run-loop.js';
import type { Iteration, RunResult } from '../../../src/rx/loop/run-result.js';
import { attemptSeed } from '../../../src/rx/loop/seed-blocks.js';
import { DEFAULT_SETTINGS, REFERENCE_SETTINGS } from '../../../src/rx/loop/settings.js';
import type { SimulatorStreams } from '../../../src/rx/simulator/draws.js';
import { simulateMetrics } from '../../../src/rx/simulator/simulate.js';
import { simulatorParts } from '../../support/rx-loop.js';
import { referenceMetrics } from '../../support/rx-metrics.js';

const OPTIMUM = { planner_consistency: 0.95, navigator_retries: 1, timeout_ms: 1600, friction_rate: 0.2 };
const actions = (run: RunResult): string[] => run.iterations.map((iteration) => iteration.action_id);

describe('reference mode', () => {
  it('reproduces the default run of the reference, every iteration and the headline', async () => {
    const run = await runLoop(simulatorParts('reference'), REFERENCE_SETTINGS);
    const golden = referenceMetrics().demo_default;
    expect(run.iterations).toHaveLength(7);
    run.iterations.forEach((iteration, i) => {
      expectClose(iteration, golden.iterations[i] ?? {});
    });
    expectClose(run.overall ?? {}, golden.overall);
    expect(run.accepted).toEqual(golden.accepted);
    expect(run.precision).toBe(golden.precision);
    expect(run.final_config).toEqual(golden.final_config);
    expect(run.end).toBe('converged');
  });

  it('does nothing with no iterations, and compares the configuration with itself', async () => {
    const run = await runLoop(simulatorParts('reference'), { ...REFERENCE_SETTINGS, max_iters: 0 });
    expect(run).toMatchObject({ iterations: [], accepted: [], precision: 0, end: 'max_iters' });
    expect(run.overall).toMatchObject({ control_failures: 1197, treatment_failures: 1197, z: 0, p_value: 1 });
  });
});

describe('the default gate', () => {
  it('reaches the optimum on independent streams as the golden run does', async () => {
    const run = await runLoop(simulatorParts('independent'), DEFAULT_SETTINGS);
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
    expect(pairsOf(run)).toBe(58);
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
    const run = await runLoop(simulatorParts('reference'), { ...DEFAULT_SETTINGS, streams: 'reference' });
    expect(actions(run).slice(0, 4)).toEqual([
      'add_navigator_retry',
      'raise_planner_consistency',
      'raise_planner_consistency',
      'raise_timeout',
    ]);
    expect(run.iterations).toHaveLength(6);
    expect(run.final_config).toEqual(OPTIMUM);
    expect(pairsOf(run)).toBe(90);
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
    const run = await runLoop(simulatorParts('independent'), {
      ...DEFAULT_SETTINGS,
      confirm_runs: 0,
      max_iters: 1,
    });
    expect(run).toMatchObject({ overall: null, confirmation: null, end: 'max_iters' });
    expect(run.notes.join(' ')).toContain('Not confirmed');
  });

  it('tells a watcher what it does', async () => {
    const seen: LoopProgress['stage'][] = [];
    const parts = { ...simulatorParts('independent'), onProgress: (p: LoopProgress) => seen.push(p.stage) };
    await runLoop(parts, { ...DEFAULT_SETTINGS, max_iters: 1, confirm_runs: 3 });
    expect(seen).toEqual(['discovery', 'attempt', 'verdict', 'headline']);
  });
});

describe('forty seed sets on reference streams', () => {
  it('reach the optimum in 40 of 40 runs with the default gate and in 17 with the z-test', async () => {
    let ours = 0;
    let reference = 0;
    let attempts = 0;
    for (let s = 0; s < 40; s += 1) {
      const seeds = { discovery_seed: 4200 + 97 * s, seed: 10_000 + 20_000 * s, confirm_runs: 0 };
      const gated = await runLoop(simulatorParts('reference'), {
        ...DEFAULT_SETTINGS,
        streams: 'reference',
        ...seeds,
      });
      attempts += gated.iterations.length;
      if (isOptimal(gated)) ours += 1;
      if (isOptimal(await runLoop(simulatorParts('reference'), { ...REFERENCE_SETTINGS, ...seeds })))
        reference += 1;
    }
    expect(ours).toBe(40);
    expect(reference).toBe(17);
    expect(attempts / 40).toBeLessThan(6.5);
  });
});

function isOptimal(run: RunResult): boolean {
  const { planner_consistency, navigator_retries, timeout_ms } = run.final_config;
  return planner_consistency === 0.95 && Number(navigator_retries) >= 1 && Number(timeout_ms) >= 1600;
}

function pairsOf(run: RunResult): number {
  return run.iterations.reduce((sum, iteration) => sum + (iteration.paired?.n_pairs ?? 0), 0);
}

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
