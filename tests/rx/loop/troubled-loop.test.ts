import { describe, expect, it } from 'vitest';
import { SystemFailure, type SystemUnderTest } from '../../../src/rx/adapters/system.js';
import { AdaptivePrioritizer } from '../../../src/rx/learner/adaptive-prioritizer.js';
import type { OutcomeRow } from '../../../src/rx/learner/outcome-row.js';
import { runLoop } from '../../../src/rx/loop/run-loop.js';
import { DEFAULT_SETTINGS, REFERENCE_SETTINGS } from '../../../src/rx/loop/settings.js';
import { simulatorParts } from '../../../src/rx/loop/simulated.js';
import type { Config } from '../../../src/rx/types.js';

const SETTINGS = { ...DEFAULT_SETTINGS, confirm_runs: 10 };
const base = simulatorParts(SETTINGS);
const broken = { ok: false, reason: 'the machine is gone' } as const;

/** The simulator, but runs for which `lost` holds fail. */
function failing(lost: (config: Config, arm: string, seed: number) => boolean): SystemUnderTest {
  return {
    measure: async (request) =>
      lost(request.config, request.arm, request.seed) ? broken : base.system.measure(request),
    trace: async (request, place) =>
      lost(request.config, request.arm, request.seed) ? broken : base.system.trace(request, place),
  };
}

describe('a loop in trouble', () => {
  it('calls an attempt invalid whose runs fail, learns nothing from it and goes on', async () => {
    const learned: OutcomeRow[] = [];
    const prioritizer = new AdaptivePrioritizer({ now: () => 0, onOutcome: (row) => learned.push(row) });
    const system = failing((config, arm) => arm === 'treatment' && config['navigator_retries'] === 1);
    const run = await runLoop({ ...base, system, prioritizer }, { ...SETTINGS, max_iters: 2 });
    expect(run.iterations.map(({ action_id, verdict }) => [action_id, verdict])).toEqual([
      ['add_navigator_retry', 'invalid'],
      ['raise_planner_consistency', 'accept'],
    ]);
    expect(run.iterations[0]?.reason).toContain('the machine is gone');
    expect(run.iterations[0]?.paired).toMatchObject({ n_pairs: 0, p_exact: 1, effect: 0, attribution: null });
    // An invalid attempt is not accepted, so its level is not passed on.
    expect(run.iterations[1]?.paired?.alpha_k).toBe(0.025);
    expect(learned.map((row) => row.action_id)).toEqual(['raise_planner_consistency']);
  });

  it('does without a discovery run, and says so', async () => {
    const system = failing((_config, arm, seed) => arm === 'discovery' && seed === 43);
    const run = await runLoop({ ...base, system }, { ...SETTINGS, max_iters: 1 });
    expect(run.iterations).toHaveLength(1);
    expect(run.notes).toContain('Discovery of attempt 1 lost 1 of 12 runs.');
  });

  it('gives up when discovery fails', async () => {
    const parts = { ...base, system: failing((_config, arm) => arm === 'discovery') };
    await expect(runLoop(parts, SETTINGS)).rejects.toThrow(SystemFailure);
  });

  it('gives no headline when the confirmation runs fail', async () => {
    const system = failing((_config, arm) => arm === 'confirmation');
    const run = await runLoop({ ...base, system }, { ...SETTINGS, max_iters: 1 });
    expect(run).toMatchObject({ overall: null, confirmation: null });
    expect(run.notes.join(' ')).toContain('Not confirmed: 2 of 2 pairs were lost');
  });

  it('stops when there is nothing to repair, or nothing to repair it with', async () => {
    const healthy = { ...base, score: () => [] };
    expect(await runLoop(healthy, SETTINGS)).toMatchObject({ iterations: [], end: 'no_incidents' });
    const powerless = { ...base, catalogue: { ...base.catalogue, actions: [] } };
    expect(await runLoop(powerless, SETTINGS)).toMatchObject({ iterations: [], end: 'converged' });
  });

  it('lets the z gate fail with the system, since it has no notion of a lost pair', async () => {
    const parts = { ...base, system: failing((_config, arm) => arm === 'treatment') };
    await expect(runLoop(parts, REFERENCE_SETTINGS)).rejects.toThrow(
      'the treatment run with seed 1000 failed',
    );
  });
});
