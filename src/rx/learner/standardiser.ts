/** How columns are centred and scaled before a fit. */
export interface Standardiser {
  readonly mean: readonly number[];
  /** Population deviation; 1 for a constant column. */
  readonly deviation: readonly number[];
  /** Columns without spread: their standardised values are 0, hence their weights too. */
  readonly constant: readonly boolean[];
}

const RELATIVE_TOLERANCE = 1e-12;

/**
 * Column means and population deviations. Means are sums divided once: accumulating v/n gives a constant column a
 * deviation of 1e-16 and makes its standardised values explode (spec 06 B.7). A deviation below 1e-12·max(1, |mean|)
 * counts as none (F.7.1).
 */
export function standardise(rows: readonly (readonly number[])[]): Standardiser {
  const width = rows[0]?.length ?? 0;
  const mean = new Array<number>(width).fill(0);
  for (const row of rows) for (const [column, value] of row.entries()) add(mean, column, value);
  mean.forEach((sum, column) => {
    mean[column] = sum / rows.length;
  });
  const variance = new Array<number>(width).fill(0);
  for (const row of rows) {
    for (const [column, value] of row.entries()) add(variance, column, (value - (mean[column] ?? 0)) ** 2);
  }
  const spread = variance.map((sum) => Math.sqrt(sum / rows.length));
  const constant = spread.map(
    (value, column) => value < RELATIVE_TOLERANCE * Math.max(1, Math.abs(mean[column] ?? 0)),
  );
  return { mean, deviation: spread.map((value, column) => (constant[column] ? 1 : value)), constant };
}

/** One row centred and scaled; constant columns give 0. */
export function applyStandardiser(standardiser: Standardiser, row: readonly number[]): number[] {
  const { mean, deviation, constant } = standardiser;
  return row.map((value, i) => (constant[i] ? 0 : (value - (mean[i] ?? 0)) / (deviation[i] ?? 1)));
}

function add(sums: number[], column: number, value: number): void {
  sums[column] = (sums[column] ?? 0) + value;
}
