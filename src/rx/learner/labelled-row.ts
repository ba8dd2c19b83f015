/** One labelled example of an incident and what an attempt on it came to. */
export interface LabelledRow {
  readonly features: readonly number[];
  /** 1 when the fix was accepted. */
  readonly label: 0 | 1;
  /** Measured gain as a difference of failure rates; null when nothing was measured. */
  readonly gain: number | null;
  /** Rows that must not be separated: an episode or a session. */
  readonly group: string;
}

export function featuresOf(rows: readonly LabelledRow[]): (readonly number[])[] {
  return rows.map((row) => row.features);
}

export function labelsOf(rows: readonly LabelledRow[]): number[] {
  return rows.map((row) => row.label);
}

export function hasBothClasses(labels: readonly number[]): boolean {
  return labels.includes(0) && labels.includes(1);
}
