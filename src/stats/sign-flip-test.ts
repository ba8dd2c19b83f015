import type { Mt19937 } from './mt19937.js';

/** Above this total of |d| the exact table is not built; random sign flips answer instead (06 F.2). */
const MAX_TOTAL = 1_000_000;
const FLIPS = 20_000;

/** One pair of runs: failures and actions under control and under treatment. */
export interface PairCounts {
  readonly controlFailures: number;
  readonly controlActions: number;
  readonly treatmentFailures: number;
  readonly treatmentActions: number;
}

/** The same pair with control and treatment exchanged: what speaks for one speaks against the other. */
export function swapArms(pair: PairCounts): PairCounts {
  return {
    controlFailures: pair.treatmentFailures,
    controlActions: pair.treatmentActions,
    treatmentFailures: pair.controlFailures,
    treatmentActions: pair.controlActions,
  };
}

/**
 * Exact one-sided paired test by sign flips (Fisher 1935, randomisation test on paired differences; 06 F.2).
 * p = P(Σ ±|d_i| ≥ Σ d_i) with fair independent signs, by dynamic programming over the integers. Under the null hypothesis
 * that the arms of a pair are exchangeable P(p ≤ a) ≤ a for every a, however the |d_i| are distributed. For d in
 * {−1, 0, 1} it is the exact sign test.
 *
 * @param differences integers d_i, positive speaks for the treatment
 * @param random used only when Σ|d_i| exceeds 1,000,000
 */
export function signFlipTest(differences: readonly number[], random: Mt19937): number {
  const sizes: number[] = [];
  let observed = 0;
  let divisor = 0;
  for (const d of differences) {
    if (!Number.isSafeInteger(d)) throw new RangeError(`differences must be whole numbers, got ${d}`);
    if (d === 0) continue;
    sizes.push(Math.abs(d));
    observed += d;
    divisor = greatestCommonDivisor(divisor, Math.abs(d));
  }
  if (sizes.length === 0) return 1;
  const steps = sizes.map((size) => size / divisor);
  const total = steps.reduce((sum, step) => sum + step, 0);
  if (total > MAX_TOTAL) return randomFlips(sizes, observed, random);
  return exactTail(steps, total, observed / divisor);
}

/**
 * The same test on rates when the number of actions differs between arms or pairs: d_i = c_i/m_ci − t_i/m_ti, scaled to
 * whole numbers by the least common multiple of all m (06 F.2).
 */
export function signFlipTestOnRates(pairs: readonly PairCounts[], random: Mt19937): number {
  const scale = commonScale(pairs);
  if (scale !== null) return signFlipTest(scaledDifferences(pairs, scale), random);
  const rates = pairs
    .map(
      (pair) => pair.controlFailures / pair.controlActions - pair.treatmentFailures / pair.treatmentActions,
    )
    .filter((rate) => rate !== 0);
  if (rates.length === 0) return 1;
  const observed = rates.reduce((sum, rate) => sum + rate, 0);
  return randomFlips(
    rates.map((rate) => Math.abs(rate)),
    observed,
    random,
  );
}

/** q[k] = P(sum of the positive ones = k) after all steps; the tail from its small end. */
function exactTail(steps: readonly number[], total: number, observed: number): number {
  const q = new Float64Array(total + 1);
  q[0] = 1;
  let reached = 0;
  for (const step of steps) {
    reached += step;
    for (let k = reached; k >= step; k -= 1) q[k] = ((q[k] ?? 0) + (q[k - step] ?? 0)) / 2;
    for (let k = step - 1; k >= 0; k -= 1) q[k] = (q[k] ?? 0) / 2;
  }
  let p = 0;
  for (let k = total; k >= Math.ceil((observed + total) / 2); k -= 1) p += q[k] ?? 0;
  return Math.min(1, p);
}

/** p = (1 + hits)/(1 + flips); sums equal up to rounding are hits. */
function randomFlips(sizes: readonly number[], observed: number, random: Mt19937): number {
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const threshold = observed - total * 1e-12;
  let hits = 0;
  for (let flip = 0; flip < FLIPS; flip += 1) {
    let sum = 0;
    let word = 0;
    for (let i = 0; i < sizes.length; i += 1) {
      if (i % 32 === 0) word = random.word32();
      const size = sizes[i] ?? 0;
      sum += word & 1 ? size : -size;
      word >>>= 1;
    }
    if (sum >= threshold) hits += 1;
  }
  return (1 + hits) / (1 + FLIPS);
}

/** Least common multiple of all action counts, or null when whole-number differences would not stay exact. */
function commonScale(pairs: readonly PairCounts[]): number | null {
  let scale = 1;
  for (const pair of pairs) {
    for (const actions of [pair.controlActions, pair.treatmentActions]) {
      scale = (scale / greatestCommonDivisor(scale, actions)) * actions;
      if (scale > 2 ** 40) return null;
    }
  }
  return scale;
}

function scaledDifferences(pairs: readonly PairCounts[], scale: number): number[] {
  return pairs.map(
    (pair) =>
      pair.controlFailures * (scale / pair.controlActions) -
      pair.treatmentFailures * (scale / pair.treatmentActions),
  );
}

function greatestCommonDivisor(a: number, b: number): number {
  let [x, y] = [a, b];
  while (y !== 0) [x, y] = [y, x % y];
  return x;
}
