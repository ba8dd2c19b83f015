import { describe, expect, it } from 'vitest';
import { simulatorSystem } from '../../../src/rx/adapters/simulator-system.js';
import {
  falseAcceptsOfPairedGate,
  falseAcceptsOfZGate,
  nullPool,
} from '../../../src/rx/experiment/null-study.js';
import { runPairedExperiment } from '../../../src/rx/experiment/paired-experiment.js';
import type { SimulatorStreams } from '../../../src/rx/simulator/draws.js';
import { DEFAULT_CONFIG } from '../../../src/rx/simulator/simulate.js';
import type { Config } from '../../../src/rx/types.js';
import { median } from '../../../src/stats/descriptive.js';
import { Mt19937 } from '../../../src/stats/mt19937.js';
import { SignFlipEProcess } from '../../../src/stats/sign-flip-e-process.js';

const FRICTION = 'environment_constraint';

describe('false accepts of a whole run of eight null fixes, fresh randomness per arm', () => {
  const pool = nullPool(4000);

  it('stay below 6 % with the default gate (guaranteed 5 %, expected 3 %)', async () => {
    const { share } = await falseAcceptsOfPairedGate(pool, 2000, 1);
    expect(share).toBeLessThanOrEqual(0.06);
    expect(share).toBeGreaterThan(0.01);
  });

  it("are about a half with the reference's z-test", () => {
    const { share } = falseAcceptsOfZGate(pool, 2000, 2);
    expect(Math.abs(share - 0.511)).toBeLessThan(0.06);
  });

  it('stay below 5 % for the e-process alone, looked at after every pair', () => {
    const random = new Mt19937(3);
    let reached = 0;
    for (let run = 0; run < 2000; run += 1) {
      const evidence = new SignFlipEProcess();
      for (let pair = 0; pair < 100 && evidence.logE < Math.log(20); pair += 1) {
        evidence.push(random.choice(pool).failures - random.choice(pool).failures);
      }
      if (evidence.logE >= Math.log(20)) reached += 1;
    }
    expect(reached / 2000).toBeLessThanOrEqual(0.05);
  });
});

describe.each(['independent', 'reference'] as const)('with %s streams', (streams) => {
  const FIXES = [{ navigator_retries: 1 }, { planner_consistency: 0.9 }, { timeout_ms: 1600 }];

  it('the guard blocks at most 5 % of clean fixes and each needs few pairs', async () => {
    for (const fix of FIXES) {
      const { harmful, accepted, decisions } = await repeat(streams, 200, fix);
      expect(harmful).toBeLessThanOrEqual(10);
      expect(accepted).toBeGreaterThanOrEqual(190);
      expect(median(decisions)).toBeLessThanOrEqual(15);
    }
  });

  it(`the guard blocks a retry bought with more ${FRICTION}`, async () => {
    const { harmful, accepted } = await repeat(streams, 200, { navigator_retries: 1, friction_rate: 0.3 });
    expect(harmful / (harmful + accepted)).toBeGreaterThanOrEqual(0.95);
    expect(harmful + accepted).toBeGreaterThan(100);
  });
});

async function repeat(streams: SimulatorStreams, times: number, fix: Partial<typeof DEFAULT_CONFIG>) {
  const system = simulatorSystem(streams, 20);
  const treatment: Config = { ...DEFAULT_CONFIG, ...fix };
  let harmful = 0;
  let accepted = 0;
  const decisions: number[] = [];
  for (let i = 0; i < times; i += 1) {
    const plan = { firstSeed: 50_000 + 1000 * i, maxPairs: 40, alpha: 2 / 160, minEffect: 0.005 };
    const result = await runPairedExperiment(system, { control: DEFAULT_CONFIG, treatment }, plan);
    if (result.verdict === 'harmful') harmful += 1;
    if (result.verdict === 'accept') accepted += 1;
    decisions.push(result.nDecision);
  }
  return { harmful, accepted, decisions };
}
