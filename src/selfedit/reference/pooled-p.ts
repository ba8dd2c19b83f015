import { logChoose } from '../../stats/gamma.js';

/**
 * The reference's p-value, exact: two-sided permutation of the pooled scores of both columns, pairing ignored, for right/wrong
 * answers to n tasks per side (spec 08 §11, W1). With K right answers in all, x of them on the second side, P(X = x) is
 * hypergeometric, and as extreme is |2x − K| or more.
 */
export function pooledPermutationP(rightA: number, rightB: number, n: number): number {
  const right = rightA + rightB;
  const observed = Math.abs(rightB - rightA);
  const all = logChoose(2 * n, n);
  let p = 0;
  for (let x = Math.max(0, right - n); x <= Math.min(n, right); x += 1) {
    if (Math.abs(2 * x - right) < observed) continue;
    p += Math.exp(logChoose(right, x) + logChoose(2 * n - right, n - x) - all);
  }
  return Math.min(1, p);
}

/** Relative effect; infinite at a baseline of 0 that rises, as in the reference. */
export function relativeEffect(rightA: number, rightB: number): number {
  if (rightA === 0) return rightB > 0 ? Number.POSITIVE_INFINITY : 0;
  return (rightB - rightA) / rightA;
}
