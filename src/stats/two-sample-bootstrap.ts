import { ascending, mean, quantileOfSorted } from './descriptive.js';
import type { Mt19937 } from './mt19937.js';
import type { Interval } from './paired-t.js';

/** Draws at most, whatever the sample sizes: keeps large comparisons bounded in time. */
const MAX_DRAWS = 50_000_000;
const RESAMPLES = 10_000;
const FEWEST_RESAMPLES = 500;

/**
 * Percentile bootstrap interval of mean(second) − mean(first), both samples resampled on their own (Efron & Tibshirani 1993,
 * chapter 8; 06 F.6). 10,000 resamples, fewer only for samples of thousands.
 *
 * @returns null when a sample is empty
 */
export function bootstrapDifference(
  first: readonly number[],
  second: readonly number[],
  random: Mt19937,
  level = 0.95,
): Interval | null {
  const units = first.length + second.length;
  if (first.length === 0 || second.length === 0) return null;
  const resamples = Math.max(FEWEST_RESAMPLES, Math.min(RESAMPLES, Math.floor(MAX_DRAWS / units)));
  const values = Array.from(
    { length: resamples },
    () => resampledMean(second, random) - resampledMean(first, random),
  );
  values.sort(ascending);
  return {
    estimate: mean(second) - mean(first),
    low: quantileOfSorted(values, (1 - level) / 2),
    high: quantileOfSorted(values, (1 + level) / 2),
  };
}

function resampledMean(values: readonly number[], random: Mt19937): number {
  let sum = 0;
  for (let i = 0; i < values.length; i += 1) sum += values[random.below(values.length)] ?? 0;
  return sum / values.length;
}
