import { cholesky, dot, forwardSolve, solveFactored } from './linear-algebra.js';

/** Fixed scales of the trace features, then a constant (spec 06 F.7.6). */
const SCALES = [10, 15, 1, 13, 1, 1, 3, 1, 1, 1, 1] as const;
const BONUS = 0.02;

/** One logged attempt: what was known, and the gain as a difference of failure rates. */
export interface LoggedGain {
  readonly features: readonly number[];
  readonly gain: number;
}

/** Scores incidents by estimated gain plus a bonus for what was seldom tried. */
export interface Explorer {
  /** zᵀm + bonus. */
  score(features: readonly number[]): number;
  /** 0.02·√(zᵀA⁻¹z) alone, as a failure-rate difference. */
  bonus(features: readonly number[]): number;
}

/** Linear upper-confidence rule: A = I + Σzzᵀ, m = A⁻¹Σz·gain (Li et al. 2010, LinUCB; spec 06 F.7.6). */
export function fitExplorer(log: readonly LoggedGain[]): Explorer {
  const size = SCALES.length + 1;
  const a = Array.from({ length: size }, (_, i) =>
    Array.from({ length: size }, (__, j): number => (i === j ? 1 : 0)),
  );
  const moment = new Array<number>(size).fill(0);
  for (const { features, gain } of log) {
    const z = scaled(features);
    for (const [i, row] of a.entries()) {
      const zi = z[i] ?? 0;
      moment[i] = (moment[i] ?? 0) + zi * gain;
      for (let j = 0; j < size; j++) row[j] = (row[j] ?? 0) + zi * (z[j] ?? 0);
    }
  }
  const factor = cholesky(a);
  const m = solveFactored(factor, moment);
  const bonus = (z: readonly number[]): number => {
    const half = forwardSolve(factor, z);
    return BONUS * Math.sqrt(dot(half, half));
  };
  return {
    score(features) {
      const z = scaled(features);
      return dot(z, m) + bonus(z);
    },
    bonus: (features) => bonus(scaled(features)),
  };
}

function scaled(features: readonly number[]): number[] {
  return [...SCALES.map((scale, i) => (features[i] ?? 0) / scale), 1];
}
