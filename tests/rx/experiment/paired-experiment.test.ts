import { describe, expect, it } from 'vitest';
import { simulatorSystem } from '../../../src/rx/adapters/simulator-system.js';
import type { MeasuredRun, RunRequest, SystemUnderTest } from '../../../src/rx/adapters/system.js';
import { attribution, estimateEffect } from '../../../src/rx/experiment/effect.js';
import { type PairedExperiment, runPairedExperiment } from '../../../src/rx/experiment/paired-experiment.js';
import type { SimulatorStreams } from '../../../src/rx/simulator/draws.js';
import { DEFAULT_CONFIG } from '../../../src/rx/simulator/simulate.js';
import type { Config, Metrics } from '../../../src/rx/types.js';
import { AlphaLedger } from '../../../src/stats/alpha-ledger.js';
import { pairedVectors } from '../../support/rx-metrics.js';

const PLAN = { firstSeed: 1000, maxPairs: 40, alpha: 0.00625, minEffect: 0.005 };
const CONTROL: Config = DEFAULT_CONFIG;
const TREATMENT: Config = { ...DEFAULT_CONFIG, navigator_retries: 1 };

describe('on one block of seeds', () => {
  it.each([
    ['independent', [12, 9, 16, 9, 10, 10]],
    ['reference', null],
  ] as const)('decides %s streams at the golden pairs', async (streams, golden) => {
    const pairs = await onOneBlock(streams);
    if (golden !== null) expect(pairs).toEqual(golden);
    expect(pairs.reduce((sum, n) => sum + n)).toBe(streams === 'independent' ? 66 : 92);
  });

  it.each(pairedVectors().filter(({ first_pair_with_e_ge_160 }) => first_pair_with_e_ge_160 !== null))(
    'decides reference streams where the evidence of attempt $index reaches 160',
    async (vector) => {
      // With alpha/2 = 1/160 the early accept is exactly E >= 160.
      const result = await runPairedExperiment(
        simulatorSystem('reference', 20),
        { control: vector.control_config, treatment: vector.treatment_config },
        { ...PLAN, alpha: 2 / 160 },
      );
      expect(result.verdict).toBe('accept');
      expect(result.nDecision).toBe(vector.first_pair_with_e_ge_160);
      expect(result.logEPath).toHaveLength(result.nDecision);
    },
  );

  it('never accepts timeout 1600 to 3000, a tenth of a point, nor a second retry', async () => {
    const repaired = { ...DEFAULT_CONFIG, planner_consistency: 0.95, navigator_retries: 1, timeout_ms: 1600 };
    for (const streams of ['independent', 'reference'] as const) {
      for (const change of [{ timeout_ms: 3000 }, { navigator_retries: 2 }]) {
        const arms = { control: repaired, treatment: { ...repaired, ...change } };
        const { verdict, pairs } = await runPairedExperiment(simulatorSystem(streams, 20), arms, PLAN);
        expect(['inert', 'futile']).toContain(verdict);
        expect(pairs.length).toBeLessThanOrEqual(20);
      }
    }
  });
});

describe('the guard', () => {
  it('calls a fix harmful that buys its gain with another class', async () => {
    const before = { ...DEFAULT_CONFIG, planner_consistency: 0.9 };
    const after = { ...before, timeout_ms: 1600, planner_consistency: 0.8 };
    const arms = { control: before, treatment: after };
    const result = await runPairedExperiment(simulatorSystem('independent', 20), arms, PLAN);
    expect(result.verdict).toBe('harmful');
    expect(result.reason).toContain('coordination_failure');
    expect(result.pairs).toHaveLength(40);
    expect(result.nDecision).toBeLessThan(40);
  });

  it('adds no pair to a clean fix under independent streams', async () => {
    const arms = { control: CONTROL, treatment: TREATMENT };
    const result = await runPairedExperiment(simulatorSystem('independent', 20), arms, PLAN);
    expect(result.pairs).toHaveLength(result.nDecision);
    expect(result.guard.allSafe).toBe(true);
  });

  it('says which class an accept could not show safe', async () => {
    const result = await runPairedExperiment(
      scripted((seed, arm) => ({
        actions: 60,
        failures: (arm === 'control' ? 20 : 10) + (seed % 2),
        by_class: {
          agent_error: arm === 'control' ? 20 : 10,
          rare: seed % 2 === (arm === 'control' ? 0 : 1) ? 3 : 0,
        },
      })),
      { control: CONTROL, treatment: TREATMENT },
      PLAN,
    );
    expect(result.verdict).toBe('accept');
    expect(result.reason).toContain('Not shown safe: rare');
  });
});

describe('lost pairs', () => {
  const improving = (arm: string): Metrics => ({
    actions: 60,
    failures: arm === 'control' ? 20 : 12,
    by_class: { agent_error: arm === 'control' ? 20 : 12 },
  });

  it('are counted, and a few do not matter', async () => {
    // Decided late enough (24 pairs) that two lost ones are below a tenth.
    const system = scripted((seed, arm) => (seed === 1003 || seed === 1007 ? null : noisy(seed, arm)));
    const result = await runPairedExperiment(system, { control: CONTROL, treatment: TREATMENT }, PLAN);
    expect(result.dropped).toBe(2);
    expect(result.verdict).toBe('accept');
    expect(result.nDecision).toBeGreaterThan(18);
  });

  it('get one second chance', async () => {
    const failedOnce = new Set<string>();
    const system = scripted((seed, arm) => {
      const key = `${seed}|${arm}`;
      if (failedOnce.has(key)) return improving(arm);
      failedOnce.add(key);
      return null;
    });
    const result = await runPairedExperiment(system, { control: CONTROL, treatment: TREATMENT }, PLAN);
    expect(result).toMatchObject({ verdict: 'accept', dropped: 0 });
  });

  it('make the verdict invalid when they are many, and stop the experiment early', async () => {
    const system = scripted(() => null);
    const result = await runPairedExperiment(system, { control: CONTROL, treatment: TREATMENT }, PLAN);
    expect(result).toMatchObject({ verdict: 'invalid', dropped: 5 });
    expect(result.reason).toContain('5 of 5 pairs were lost');
    expect(result.reason).toContain('scripted failure');
  });

  it('make the verdict invalid when only one arm loses them', async () => {
    // 6 of 100 is below a tenth, but 6 against 0 is no accident (two-sided p = 1/32).
    const system = scripted((seed, arm) =>
      arm === 'treatment' && seed % 16 === 0 ? null : { actions: 60, failures: 20, by_class: { x: 20 } },
    );
    const result = await runPairedExperiment(
      system,
      { control: CONTROL, treatment: TREATMENT },
      { ...PLAN, firstSeed: 1600, maxPairs: 100, minEffect: -1 },
    );
    expect(result.verdict).toBe('invalid');
    expect(result.reason).toContain('by treatment alone');
  });
});

describe('figures', () => {
  it('give the effect with its interval, a bootstrap one beside it for few pairs, and the attribution', async () => {
    const arms = { control: CONTROL, treatment: TREATMENT };
    const { pairs }: PairedExperiment = await runPairedExperiment(
      simulatorSystem('independent', 20),
      arms,
      PLAN,
    );
    const effect = estimateEffect(pairs, 1);
    expect(effect.effect_low ?? 1).toBeLessThan(effect.effect);
    expect(effect.effect_high ?? 0).toBeGreaterThan(effect.effect);
    expect(effect.effect_bootstrap?.low ?? 1).toBeLessThan(effect.effect);
    expect(attribution(pairs, 'agent_error')).toBe(1);
    expect(attribution(pairs, 'information_lag')).toBe(0);
    expect(estimateEffect(pairs.slice(0, 1), 1)).toMatchObject({ effect_low: null, effect_se: null });
    expect(attribution([], 'agent_error')).toBeNull();
  });
});

/** The demo's six attempts, all on the seeds 1000 to 1039, with the pairs that each used. */
async function onOneBlock(streams: SimulatorStreams): Promise<number[]> {
  const system = simulatorSystem(streams, 20);
  const steps = [
    { navigator_retries: 1 },
    { planner_consistency: 0.9 },
    { planner_consistency: 0.95 },
    { timeout_ms: 1600 },
    { navigator_retries: 2 },
    { timeout_ms: 3000 },
  ];
  const ledger = new AlphaLedger(0.05, 8);
  const pairs: number[] = [];
  let config: Config = DEFAULT_CONFIG;
  for (const step of steps) {
    const treatment = { ...config, ...step };
    const result = await runPairedExperiment(
      system,
      { control: config, treatment },
      { ...PLAN, alpha: ledger.next ?? 0 },
    );
    ledger.settle(result.verdict === 'accept' ? 'promoted' : 'not_promoted');
    if (result.verdict === 'accept') config = treatment;
    pairs.push(result.pairs.length);
  }
  expect(config).toEqual({
    ...DEFAULT_CONFIG,
    planner_consistency: 0.95,
    navigator_retries: 1,
    timeout_ms: 1600,
  });
  return pairs;
}

/** A system that answers from a table; null is a failed run. */
function scripted(answer: (seed: number, arm: string) => Metrics | null): SystemUnderTest {
  return {
    async measure({ seed, arm }: RunRequest): Promise<MeasuredRun> {
      const metrics = answer(seed, arm);
      return metrics === null ? { ok: false, reason: 'scripted failure' } : { ok: true, metrics };
    },
    trace: async () => ({ ok: false, reason: 'not traced' }),
  };
}

/** A gain of two failures in sixty under noise of the same size, the same for the same seed. */
function noisy(seed: number, arm: string): Metrics {
  const noise = ((seed * 2654435761) >>> 8) % 9;
  const failures = arm === 'control' ? 20 + noise : 22;
  return { actions: 60, failures, by_class: { agent_error: failures } };
}
