import { fixed } from '../report/format.js';

/** How a count changed between two batches (spec 06 D.5). */
export interface CountChange {
  readonly before: number;
  readonly after: number;
  readonly kind: 'stable' | 'new' | 'resolved' | 'up' | 'down';
  /** Whole percent, half to even; null unless up or down. */
  readonly percent: number | null;
  /** Not stable, and the larger count is below 5. */
  readonly tentative: boolean;
}

const TENTATIVE_BELOW = 5;
const LATENCY_TOLERANCE = 0.05;
const SCORE_TOLERANCE = 0.005;

export function countChange(before: number, after: number): CountChange {
  const { kind, percent } = kindOf(before, after);
  return {
    before,
    after,
    kind,
    percent,
    tentative: kind !== 'stable' && Math.max(before, after) < TENTATIVE_BELOW,
  };
}

/** `down 50 %`, `new (tentative)`, … */
export function describeChange(change: CountChange): string {
  const words = change.percent === null ? change.kind : `${change.kind} ${change.percent} %`;
  return change.tentative ? `${words} (tentative)` : words;
}

/** How a median latency changed, in words. */
export function latencyChange(before: number | null, after: number | null): string {
  if (before === null) return after === null ? 'n/a' : 'new';
  if (after === null) return 'no recoveries';
  return signedOrStable(after - before, LATENCY_TOLERANCE, 1);
}

/** How a score changed, in words. */
export function scoreChange(before: number, after: number): string {
  return signedOrStable(after - before, SCORE_TOLERANCE, 2);
}

function kindOf(before: number, after: number): Pick<CountChange, 'kind' | 'percent'> {
  if (before === after) return { kind: 'stable', percent: null };
  if (before === 0) return { kind: 'new', percent: null };
  if (after === 0) return { kind: 'resolved', percent: null };
  const percent = Number(fixed((Math.abs(after - before) / before) * 100, 0));
  if (percent === 0) return { kind: 'stable', percent: null };
  return { kind: after > before ? 'up' : 'down', percent };
}

function signedOrStable(difference: number, tolerance: number, decimals: number): string {
  if (Math.abs(difference) < tolerance) return 'stable';
  return `${difference > 0 ? '+' : ''}${fixed(difference, decimals)}`;
}
