/** Arithmetic mean, sum first and one division; NaN for no values. */
export function mean(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

/** Sample standard deviation with divisor n − 1; 0 for fewer than two values. */
export function sampleDeviation(values: readonly number[]): number {
  if (values.length < 2) return 0;
  return Math.sqrt(squaresAround(values, mean(values)) / (values.length - 1));
}

/** Population standard deviation with divisor n. */
export function populationDeviation(values: readonly number[]): number {
  return Math.sqrt(squaresAround(values, mean(values)) / values.length);
}

/** Moment coefficient of skewness m₃ / m₂^1.5 (Joanes & Gill 1998, g₁); 0 when all values are equal. */
export function skewness(values: readonly number[]): number {
  const centre = mean(values);
  const second = squaresAround(values, centre) / values.length;
  if (!(second > 0)) return 0;
  let third = 0;
  for (const value of values) third += (value - centre) ** 3;
  return third / values.length / second ** 1.5;
}

/** Middle value, mean of the two middle ones for an even number; null for none. */
export function median(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  return quantileOfSorted([...values].sort(ascending), 0.5);
}

/** Linearly interpolated quantile (Hyndman & Fan 1996, type 7) of ascending values; NaN for none. */
export function quantileOfSorted(sorted: ArrayLike<number>, q: number): number {
  const place = (sorted.length - 1) * q;
  const below = Math.floor(place);
  const low = sorted[below] ?? Number.NaN;
  const high = sorted[Math.min(below + 1, sorted.length - 1)] ?? Number.NaN;
  return low + (high - low) * (place - below);
}

/** Comparator for ascending numbers. */
export function ascending(a: number, b: number): number {
  return a - b;
}

function squaresAround(values: readonly number[], centre: number): number {
  let sum = 0;
  for (const value of values) sum += (value - centre) ** 2;
  return sum;
}
