import { SEVERITY_WEIGHT, type Severity } from './finding.js';

/** Episodes of one arm, weighted where the choice was randomised. */
export interface Arm {
  readonly successes: number;
  readonly n: number;
}

/** What acting on a cell gains over leaving it alone (spec 06 F.10). */
export interface Uplift {
  /** Shrunk success rate with the action. */
  readonly p1: number;
  /** And without. */
  readonly p0: number;
  readonly uplift: number;
  /** 90 % interval. */
  readonly low: number;
  readonly high: number;
}

/** Weight of the family's rate, in episodes. */
const SHRINKAGE = 4;
const Z_90 = 1.645;

/**
 * Difference of two success rates, each shrunk to its family's: per arm μ = (S + 1)/(N + 2) over the family, then
 * Beta(1 + 4μ + s, 1 + 4(1 − μ) + n − s); interval from the sum of the variances (spec 06 F.10).
 */
export function upliftOf(
  cell: { treated: Arm; untreated: Arm },
  family: { treated: Arm; untreated: Arm },
): Uplift {
  const one = shrunk(cell.treated, family.treated);
  const zero = shrunk(cell.untreated, family.untreated);
  const uplift = one.mean - zero.mean;
  const half = Z_90 * Math.sqrt(one.variance + zero.variance);
  return { p1: one.mean, p0: zero.mean, uplift, low: uplift - half, high: uplift + half };
}

/** What cells are ranked by: the sure part of the uplift times how much the symptom matters. */
export function upliftScore(uplift: Uplift, severity: Severity): number {
  return uplift.low * SEVERITY_WEIGHT[severity];
}

/**
 * Sums an arm. With inverse-propensity weights the rate is the weighted mean and n the effective number of episodes
 * (Horvitz & Thompson 1952; Kish 1965), so equal weights change nothing.
 */
export function armOf(labels: readonly { readonly y: 0 | 1; readonly weight: number }[]): Arm {
  const sum = labels.reduce((total, one) => total + one.weight, 0);
  if (sum === 0) return { successes: 0, n: 0 };
  const squares = labels.reduce((total, one) => total + one.weight ** 2, 0);
  const rate = labels.reduce((total, one) => total + one.weight * one.y, 0) / sum;
  const n = sum ** 2 / squares;
  return { successes: rate * n, n };
}

function shrunk(cell: Arm, family: Arm): { mean: number; variance: number } {
  const mu = (family.successes + 1) / (family.n + 2);
  const a = 1 + SHRINKAGE * mu + cell.successes;
  const b = 1 + SHRINKAGE * (1 - mu) + cell.n - cell.successes;
  const total = a + b;
  return { mean: a / total, variance: (a * b) / (total ** 2 * (total + 1)) };
}
