import { mean, sampleDeviation } from './descriptive.js';
import { studentTQuantile } from './student-t.js';

/** An estimate with its interval. */
export interface Interval {
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Two-sided interval of a mean of paired differences: mean ± t(n−1)·s/√n (Student 1908; 06 F.2). One value or none gives
 * the unbounded interval: nothing is known of its spread.
 */
export function pairedTInterval(differences: readonly number[], level = 0.95): Interval {
  const n = differences.length;
  if (n < 2) return { estimate: n === 1 ? mean(differences) : 0, low: -Infinity, high: Infinity };
  const estimate = mean(differences);
  const half = (studentTQuantile((1 + level) / 2, n - 1) * sampleDeviation(differences)) / Math.sqrt(n);
  return { estimate, low: estimate - half, high: estimate + half };
}

/** One-sided upper confidence bound of the same mean; equal values give the mean itself (06 F.3 step 2). */
export function pairedTUpperBound(differences: readonly number[], level = 0.95): number {
  const n = differences.length;
  if (n < 2) return Number.POSITIVE_INFINITY;
  const deviation = sampleDeviation(differences);
  if (deviation === 0) return mean(differences);
  return mean(differences) + (studentTQuantile(level, n - 1) * deviation) / Math.sqrt(n);
}
