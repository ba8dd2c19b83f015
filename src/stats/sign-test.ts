import { binomialUpperTail } from './binomial.js';

/**
 * Exact one-sided sign test p(W, L) = P(Bin(W + L, ½) ≥ W) (Dixon & Mood 1946; 08 §24.4). On pairs with a binary outcome
 * it *is* McNemar's exact test (McNemar 1947; 06 F.2), W and L being the two kinds of discordant pairs. Never count single
 * actions of a run with it: they are not independent.
 */
export function signTest(wins: number, losses: number): number {
  const n = wins + losses;
  if (n > 1000) return binomialUpperTail(wins, n, 0.5);
  if (wins === 0) return 1;
  // Exact powers of two keep the classical values to the last bit.
  let term = 0.5 ** n;
  let sum = term;
  for (let k = n; k > wins; k -= 1) {
    term = (term * k) / (n - k + 1);
    sum += term;
  }
  return Math.min(1, sum);
}

/** Two-sided form: twice the smaller tail, at most 1. */
export function signTestTwoSided(wins: number, losses: number): number {
  return Math.min(1, 2 * signTest(Math.max(wins, losses), Math.min(wins, losses)));
}
