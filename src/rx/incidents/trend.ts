/** How often a pattern occurs in later runs compared with earlier ones (spec 06 D.4). */
export type Trend = 'insufficient data' | 'new' | 'resolved' | 'increasing' | 'decreasing' | 'stable';

const INCREASE = 1.3;
const DECREASE = 0.7;
const WINDOW = 3;

/**
 * Trend from the occurrences per run, runs in order of first appearance (spec 06 D.4): the last three runs against the
 * three before them from six runs on, halves below that, no judgement below three. Descriptive: no error control
 * (E.27).
 */
export function trendOf(perRun: ArrayLike<number>): Trend {
  const n = perRun.length;
  if (n < WINDOW) return 'insufficient data';
  const split = n >= 2 * WINDOW ? n - WINDOW : Math.floor(n / 2);
  const start = n >= 2 * WINDOW ? n - 2 * WINDOW : 0;
  return compareRates(meanOf(perRun, start, split), meanOf(perRun, split, n));
}

function compareRates(before: number, after: number): Trend {
  if (before === 0) return after === 0 ? 'stable' : 'new';
  if (after === 0) return 'resolved';
  const ratio = after / before;
  if (ratio >= INCREASE) return 'increasing';
  return ratio <= DECREASE ? 'decreasing' : 'stable';
}

function meanOf(values: ArrayLike<number>, from: number, to: number): number {
  let sum = 0;
  for (let i = from; i < to; i++) sum += values[i] ?? 0;
  return sum / (to - from);
}
