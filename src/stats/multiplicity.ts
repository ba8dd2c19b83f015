/**
 * Holm's step-down procedure (Holm 1979): which hypotheses are rejected with family-wise error at most alpha, under any
 * dependence. The result has the order of the input.
 */
export function holm(pValues: readonly number[], alpha: number): boolean[] {
  return holmAdjusted(pValues).map((p) => p <= alpha);
}

/** Holm-adjusted p-values: reject those at most alpha. */
export function holmAdjusted(pValues: readonly number[]): number[] {
  const adjusted = new Array<number>(pValues.length).fill(1);
  let running = 0;
  order(pValues).forEach((index, rank) => {
    running = Math.max(running, Math.min(1, (pValues.length - rank) * (pValues[index] ?? 1)));
    adjusted[index] = running;
  });
  return adjusted;
}

/**
 * Benjamini & Hochberg 1995: rejections with false-discovery rate at most `level` for independent or positively dependent
 * p-values. For lists that a human rechecks.
 */
export function benjaminiHochberg(pValues: readonly number[], level: number): boolean[] {
  const ranked = order(pValues);
  let count = 0;
  ranked.forEach((index, rank) => {
    if ((pValues[index] ?? 1) <= (level * (rank + 1)) / pValues.length) count = rank + 1;
  });
  return flagged(pValues.length, ranked.slice(0, count));
}

/**
 * The same with e-values (Wang & Ramdas 2022), valid under any dependence: accept the largest j with
 * E_(j) ≥ m/(j·level) (06 F.4).
 */
export function eBenjaminiHochberg(logEValues: readonly number[], level: number): boolean[] {
  const ranked = order(logEValues).reverse();
  let count = 0;
  ranked.forEach((index, rank) => {
    const needed = Math.log(logEValues.length / ((rank + 1) * level));
    if ((logEValues[index] ?? Number.NEGATIVE_INFINITY) >= needed) count = rank + 1;
  });
  return flagged(logEValues.length, ranked.slice(0, count));
}

/** Indices by ascending value, ties in input order. */
function order(values: readonly number[]): number[] {
  return values.map((_, index) => index).sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
}

function flagged(length: number, indices: readonly number[]): boolean[] {
  const flags = new Array<boolean>(length).fill(false);
  for (const index of indices) flags[index] = true;
  return flags;
}
