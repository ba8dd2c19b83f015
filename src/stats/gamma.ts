const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
] as const;

/** ln Γ(x) for x > 0 (Lanczos 1964, g = 7, nine terms), relative accuracy about 1e-14. */
export function logGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  const shifted = x - 1;
  let sum: number = LANCZOS[0];
  for (let i = 1; i < LANCZOS.length; i += 1) sum += (LANCZOS[i] ?? 0) / (shifted + i);
  const t = shifted + 7.5;
  return 0.5 * Math.log(2 * Math.PI) + (shifted + 0.5) * Math.log(t) - t + Math.log(sum);
}

/** ln n! for a whole n ≥ 0, by adding logarithms up to 2048 and by ln Γ above. */
export function logFactorial(n: number): number {
  const known = LOG_FACTORIALS[n];
  return known === undefined ? logGamma(n + 1) : known;
}

const LOG_FACTORIALS = (() => {
  const table = new Float64Array(2049);
  for (let n = 2; n < table.length; n += 1) table[n] = (table[n - 1] ?? 0) + Math.log(n);
  return table;
})();

/** ln of the binomial coefficient "n over k". */
export function logChoose(n: number, k: number): number {
  return logFactorial(n) - logFactorial(k) - logFactorial(n - k);
}
