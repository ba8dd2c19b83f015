import { binomialMass, binomialUpperTail } from './binomial.js';
import { signTest } from './sign-test.js';

/** Share of a test's level that its final look may spend (08 §24.4). */
export const FINAL_SHARE = 0.8;

/** Smallest number of clean wins that the sign test can ever call significant: smallest d with 2^−d ≤ level (08 §24.3a). */
export function fewestDiscordantPairs(level: number): number {
  return Math.max(0, Math.ceil(-Math.log2(level) - 1e-12));
}

/** Smallest k with P(Bin(d, ½) ≥ k) ≤ level; null when even k = d is not enough. */
export function winsNeeded(discordant: number, level: number): number | null {
  if (signTest(discordant, 0) > level) return null;
  let low = 0;
  let high = discordant;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (signTest(middle, discordant - middle) <= level) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Exact power of the one-sided sign test over n pairs (08 §24.3b):
 * Σ_d P(Bin(n, f + b) = d) · P(Bin(d, f/(f + b)) ≥ k_d), with k_d from `winsNeeded`.
 *
 * @param fixed f, chance that a pair is a win
 * @param broken b, chance that it is a loss
 * @param level what the final test may spend
 */
export function signTestPower(n: number, fixed: number, broken: number, level: number): number {
  const changed = fixed + broken;
  if (changed <= 0) return 0;
  let power = 0;
  for (let d = fewestDiscordantPairs(level); d <= n; d += 1) {
    const weight = binomialMass(d, n, Math.min(1, changed));
    if (weight < 1e-16) continue;
    const needed = winsNeeded(d, level);
    if (needed !== null) power += weight * binomialUpperTail(needed, d, fixed / changed);
  }
  return Math.min(1, power);
}

/** Smallest n whose power reaches the target, searched upwards; null beyond `limit`. */
export function pairsForPower(
  fixed: number,
  broken: number,
  level: number,
  target = 0.8,
  limit = 5000,
): number | null {
  for (let n = fewestDiscordantPairs(level); n <= limit; n += 1) {
    if (signTestPower(n, fixed, broken, level) >= target) return n;
  }
  return null;
}
