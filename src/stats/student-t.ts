import { regularizedBeta } from './beta.js';

/** Distribution function of Student's t with `df` degrees of freedom (Abramowitz & Stegun 26.7.1). */
export function studentTCdf(t: number, df: number): number {
  const tail = regularizedBeta(df / (df + t * t), df / 2, 0.5) / 2;
  return t > 0 ? 1 - tail : tail;
}

/**
 * Quantile of Student's t by bisection on the distribution function, accurate to about 1e-10.
 *
 * @param p probability in (0, 1)
 * @param df degrees of freedom, at least 1
 */
export function studentTQuantile(p: number, df: number): number {
  if (!(p > 0 && p < 1) || !(df >= 1)) throw new RangeError(`no t quantile for p = ${p}, df = ${df}`);
  if (p < 0.5) return -studentTQuantile(1 - p, df);
  const key = `${p}|${df}`;
  const known = quantiles.get(key);
  if (known !== undefined) return known;
  const value = searchQuantile(p, df);
  if (quantiles.size < MAX_CACHED) quantiles.set(key, value);
  return value;
}

const MAX_CACHED = 4096;
const quantiles = new Map<string, number>();

function searchQuantile(p: number, df: number): number {
  let high = 2;
  while (studentTCdf(high, df) < p) high *= 2;
  let low = 0;
  for (let step = 0; step < 80; step += 1) {
    const middle = (low + high) / 2;
    if (studentTCdf(middle, df) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
