import { AlphaLedger } from '../../stats/alpha-ledger.js';
import { Mt19937 } from '../../stats/mt19937.js';
import type { MeasuredRun, SystemUnderTest } from '../adapters/system.js';
import { DEFAULT_CONFIG, simulateMetrics } from '../simulator/simulate.js';
import type { Metrics } from '../types.js';
import { compareCounts } from './effect.js';
import { runPairedExperiment } from './paired-experiment.js';

/** How often a gate accepts fixes that do nothing. */
export interface NullStudy {
  readonly runs: number;
  /** Runs with at least one accept. */
  readonly with_false_accept: number;
  readonly share: number;
}

/** Attempts per run, pairs per attempt and level of the default run (06 C.1). */
const ATTEMPTS = 8;
const PAIRS = 40;
const ALPHA = 0.05;
const MIN_EFFECT = 0.005;

/** Seeds of the pool, far from every block of a run. */
const POOL_SEED = 5_000_000;

/**
 * Runs of the default configuration on seeds that share nothing, to be dealt out as either arm: what a system looks like
 * that no fix changes and whose luck is fresh every time (06 F.4, H.6).
 */
export function nullPool(size: number, turns = 20): Metrics[] {
  return Array.from({ length: size }, (_, i) =>
    simulateMetrics(DEFAULT_CONFIG, 'independent', POOL_SEED + i, turns),
  );
}

/** A system in which no configuration matters: every run is dealt at random from the pool. */
export function nullSystem(pool: readonly Metrics[], seed: number): SystemUnderTest {
  const random = new Mt19937(seed);
  return {
    measure: async (): Promise<MeasuredRun> => ({ ok: true, metrics: random.choice(pool) }),
    trace: async () => ({ ok: false, reason: 'a pool of counts has no traces' }),
  };
}

/** Runs of eight null fixes under our default gate, levels as the loop hands them out (06 F.3, F.4). */
export async function falseAcceptsOfPairedGate(
  pool: readonly Metrics[],
  runs: number,
  seed: number,
): Promise<NullStudy> {
  const system = nullSystem(pool, seed);
  let found = 0;
  for (let run = 0; run < runs; run += 1) if (await acceptsAny(system)) found += 1;
  return { runs, with_false_accept: found, share: found / runs };
}

/** The same fixes under the reference's z-test at the same family size (06 B.9, C.1). */
export function falseAcceptsOfZGate(pool: readonly Metrics[], runs: number, seed: number): NullStudy {
  const random = new Mt19937(seed);
  const anySignificant = (): boolean => {
    for (let k = 0; k < ATTEMPTS; k += 1) {
      const pairs = Array.from({ length: PAIRS }, (_, i) => ({
        seed: i,
        control: random.choice(pool),
        treatment: random.choice(pool),
      }));
      if (compareCounts(pairs, ALPHA).significant) return true;
    }
    return false;
  };
  let found = 0;
  for (let run = 0; run < runs; run += 1) if (anySignificant()) found += 1;
  return { runs, with_false_accept: found, share: found / runs };
}

async function acceptsAny(system: SystemUnderTest): Promise<boolean> {
  const arms = { control: DEFAULT_CONFIG, treatment: DEFAULT_CONFIG };
  const ledger = new AlphaLedger(ALPHA, ATTEMPTS);
  for (let alpha = ledger.next; alpha !== null; alpha = ledger.next) {
    const plan = { firstSeed: 0, maxPairs: PAIRS, alpha, minEffect: MIN_EFFECT };
    if ((await runPairedExperiment(system, arms, plan)).verdict === 'accept') return true;
    ledger.settle('not_promoted');
  }
  return false;
}
