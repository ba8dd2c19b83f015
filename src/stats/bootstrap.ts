import { ascending, mean, quantileOfSorted } from './descriptive.js';
import type { Mt19937 } from './mt19937.js';
import type { Interval } from './paired-t.js';

/** How a bootstrap interval is drawn. */
export interface BootstrapOptions {
  readonly random: Mt19937;
  /** Resamples, 10,000 by default. */
  readonly resamples?: number;
  /** Two-sided level, 0.95 by default. */
  readonly level?: number;
}

/** An interval, and how many resamples had no value (a class missing, for instance). */
export interface BootstrapInterval extends Interval {
  readonly undefinedShare: number;
}

/** Percentile bootstrap interval of a mean (Efron 1979). */
export function bootstrapMean(
  values: readonly number[],
  options: BootstrapOptions,
): BootstrapInterval | null {
  return bootstrapInterval(
    values.length,
    (chosen) => {
      let sum = 0;
      for (const index of chosen) sum += values[index] ?? 0;
      return sum / chosen.length;
    },
    options,
    values.length === 0 ? null : mean(values),
  );
}

/**
 * Percentile bootstrap interval of any statistic over units (Efron 1979). Resample *groups* by letting a unit be a group.
 *
 * @param units number of units
 * @param statistic value on the chosen unit indices (with repetitions), null where undefined
 * @param estimate the statistic on the original units, computed when not given
 * @returns null when the statistic is undefined on the original or on every resample
 */
export function bootstrapInterval(
  units: number,
  statistic: (chosen: Int32Array) => number | null,
  options: BootstrapOptions,
  estimate: number | null = statistic(Int32Array.from({ length: units }, (_, i) => i)),
): BootstrapInterval | null {
  if (units === 0 || estimate === null) return null;
  const { random, resamples = 10_000, level = 0.95 } = options;
  const chosen = new Int32Array(units);
  const values: number[] = [];
  for (let round = 0; round < resamples; round += 1) {
    for (let i = 0; i < units; i += 1) chosen[i] = random.below(units);
    const value = statistic(chosen);
    if (value !== null) values.push(value);
  }
  if (values.length === 0) return null;
  values.sort(ascending);
  return {
    estimate,
    low: quantileOfSorted(values, (1 - level) / 2),
    high: quantileOfSorted(values, (1 + level) / 2),
    undefinedShare: 1 - values.length / resamples,
  };
}
