import { logChoose } from './gamma.js';

/** P(Bin(n, p) = k). */
export function binomialMass(k: number, n: number, p: number): number {
  if (k < 0 || k > n) return 0;
  if (p <= 0) return k === 0 ? 1 : 0;
  if (p >= 1) return k === n ? 1 : 0;
  return Math.exp(logChoose(n, k) + k * Math.log(p) + (n - k) * Math.log1p(-p));
}

/** P(Bin(n, p) ≥ k), summed from the smallest terms. */
export function binomialUpperTail(k: number, n: number, p: number): number {
  if (k <= 0) return 1;
  let sum = 0;
  for (let i = n; i >= k; i -= 1) sum += binomialMass(i, n, p);
  return Math.min(1, sum);
}
