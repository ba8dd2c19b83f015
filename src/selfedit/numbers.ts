/** The sum of a list; 0 for an empty one. */
export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The mean of a list; 0 for an empty one. */
export function meanOr0(values: readonly number[]): number {
  return values.length === 0 ? 0 : sum(values) / values.length;
}
