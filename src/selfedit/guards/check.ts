/** The checks of an edit in their order (spec 08 §24.2). */
export const CHECK_NAMES = [
  'applies',
  'frozen',
  'size',
  'growth',
  'drift',
  'leak',
  'polarity',
  'duplicate',
  'plan',
  'screen',
  'confirm',
  'segments',
  'sentinels',
  'swap',
] as const;

export type CheckName = (typeof CHECK_NAMES)[number];

/** One line of an audit entry; numbers are finite. */
export type Check = {
  readonly name: CheckName;
  readonly passed: boolean;
  readonly value: number | string;
  readonly threshold: number | string;
};

/** A measured quantity that may be at most so much. */
export function atMost(name: CheckName, value: number, threshold: number): Check {
  return { name, passed: value <= threshold, value: rounded(value), threshold };
}

/** A condition in words: passed without a problem. */
export function unless(name: CheckName, problem: string | null): Check {
  return { name, passed: problem === null, value: problem ?? 'ok', threshold: 'none' };
}

/** Six decimals, so that audit lines are short and equal on every machine. */
export function rounded(value: number): number {
  return Number.isFinite(value) ? Math.round(value * 1e6) / 1e6 : value > 0 ? Number.MAX_SAFE_INTEGER : 0;
}
