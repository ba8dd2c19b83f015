import type { MeasuredRun, SystemUnderTest } from '../../src/rx/adapters/system.js';
import type { SimulatorStreams } from '../../src/rx/simulator/draws.js';
import { DEFAULT_CONFIG, simulateMetrics } from '../../src/rx/simulator/simulate.js';
import type { Metrics } from '../../src/rx/types.js';
import { Mt19937 } from '../../src/stats/mt19937.js';

/** Runs of the default configuration on seeds that share nothing, to be dealt out as either arm. */
export function nullRuns(streams: SimulatorStreams, count: number): Metrics[] {
  return Array.from({ length: count }, (_, i) => simulateMetrics(DEFAULT_CONFIG, streams, 5_000_000 + i, 20));
}

/** A system in which no fix does anything: every run is dealt at random from the pool, whatever its seed and arm. */
export function nullSystem(pool: readonly Metrics[], seed: number): SystemUnderTest {
  const random = new Mt19937(seed);
  return {
    measure: async (): Promise<MeasuredRun> => ({ ok: true, metrics: random.choice(pool) }),
    trace: async () => ({ ok: false, reason: 'a pool has no traces' }),
  };
}
