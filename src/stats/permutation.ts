import { logChoose } from './gamma.js';
import type { Mt19937 } from './mt19937.js';

const MAX_ARRANGEMENTS = 20_000;
const PERMUTATIONS = 20_000;

/** One-sided p-values of a difference of means, and whether all arrangements were enumerated. */
export interface PermutationResult {
  /** mean(second) − mean(first). */
  readonly difference: number;
  /** For a difference at least as large as observed. */
  readonly pGreater: number;
  /** For a difference at least as small as observed. */
  readonly pLess: number;
  readonly exact: boolean;
}

/**
 * Two-sample permutation test of the difference of means (Pitman 1937; 06 F.6): labels are permuted between the batches,
 * all arrangements when there are at most 20,000, else 20,000 seeded ones with p = (1 + hits)/(1 + 20,000).
 * Both samples must be non-empty.
 */
export function permutationTest(
  first: readonly number[],
  second: readonly number[],
  random: Mt19937,
): PermutationResult {
  const pooled = [...first, ...second];
  const sum = pooled.reduce((total, value) => total + value, 0);
  const size = pooled.reduce((total, value) => total + Math.abs(value), 0);
  const observed = second.reduce((total, value) => total + value, 0);
  const tally = new Tally(observed, size * 1e-12);
  const exact = Math.exp(logChoose(pooled.length, second.length)) <= MAX_ARRANGEMENTS + 0.5;
  if (exact) enumerate(pooled, second.length, tally);
  else sample(pooled, second.length, random, tally);
  const extra = exact ? 0 : 1;
  return {
    difference: observed / second.length - (sum - observed) / first.length,
    pGreater: (tally.greater + extra) / (tally.n + extra),
    pLess: (tally.less + extra) / (tally.n + extra),
    exact,
  };
}

/** The difference of means rises with the sum of the second sample, so sums are compared. */
class Tally {
  n = 0;
  greater = 0;
  less = 0;
  readonly #low: number;
  readonly #high: number;

  constructor(observed: number, tolerance: number) {
    this.#low = observed - tolerance;
    this.#high = observed + tolerance;
  }

  add(sum: number): void {
    this.n += 1;
    if (sum >= this.#low) this.greater += 1;
    if (sum <= this.#high) this.less += 1;
  }
}

function enumerate(pooled: readonly number[], take: number, tally: Tally): void {
  const visit = (from: number, left: number, sum: number): void => {
    if (left === 0) {
      tally.add(sum);
      return;
    }
    for (let i = from; i <= pooled.length - left; i += 1) visit(i + 1, left - 1, sum + (pooled[i] ?? 0));
  };
  visit(0, take, 0);
}

/** Partial Fisher–Yates shuffles. */
function sample(pooled: readonly number[], take: number, random: Mt19937, tally: Tally): void {
  const values = Float64Array.from(pooled);
  for (let round = 0; round < PERMUTATIONS; round += 1) {
    let sum = 0;
    for (let i = 0; i < take; i += 1) {
      const j = i + random.below(values.length - i);
      const picked = values[j] ?? 0;
      values[j] = values[i] ?? 0;
      values[i] = picked;
      sum += picked;
    }
    tally.add(sum);
  }
}
