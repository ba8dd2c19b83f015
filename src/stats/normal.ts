/** Beyond this the continued fraction is used; below, the series still keeps 13 digits of 1 − erf. */
const SERIES_LIMIT = 2.5;

/**
 * Complementary error function to a relative accuracy of 1e-12 (06 B.9): the all-positive series
 * erf x = 2/√π · e^(−x²) · Σ 2ⁿ x^(2n+1)/(2n+1)!! (Abramowitz & Stegun 7.1.6) near zero, the continued fraction 7.1.14
 * in the tail.
 */
export function erfc(x: number): number {
  if (Number.isNaN(x)) return x;
  if (x < -SERIES_LIMIT) return 2 - erfcTail(-x);
  return x < SERIES_LIMIT ? 1 - erfSeries(x) : erfcTail(x);
}

/** Standard normal distribution function. */
export function normalCdf(z: number): number {
  return erfc(-z / Math.SQRT2) / 2;
}

function erfSeries(x: number): number {
  let term = x;
  let sum = x;
  for (let n = 1; Math.abs(term) > Math.abs(sum) * 1e-17; n += 1) {
    term *= (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}

/** √π·e^(x²)·erfc x = 1/(x + ½/(x + 1/(x + 3⁄2/(x + …)))), evaluated from the inside. */
function erfcTail(x: number): number {
  if (x > 27) return 0;
  let fraction = x;
  for (let k = 80; k >= 1; k -= 1) fraction = x + k / 2 / fraction;
  return Math.exp(-x * x) / (Math.sqrt(Math.PI) * fraction);
}
