import type { Mt19937 } from './mt19937.js';
import { pairedTUpperBound } from './paired-t.js';
import { type PairCounts, signFlipTestOnRates, swapArms } from './sign-flip-test.js';

/** Level of the whole guard, split over the classes (06 F.5). */
export const GUARD_LEVEL = 0.05;
const SMALLEST_MARGIN = 0.005;
const MARGIN_SHARE = 0.1;

/** What the guard found for one class of failures or one secondary metric. */
export interface GuardedClass {
  readonly class: string;
  /** Exact one-sided p for "the treatment has more of it". */
  readonly p_harm: number;
  /** One-sided 95 % upper bound of the increase per action. */
  readonly upper: number;
  /** What an increase may be at most: 10 % of the control rate, at least 0.005. */
  readonly margin: number;
  /** Shown safe: the bound is below the margin. */
  readonly safe: boolean;
}

export interface GuardResult {
  readonly classes: readonly GuardedClass[];
  /** The smallest p_harm is at most 0.05/J, J classes in all. */
  readonly blocked: boolean;
  readonly allSafe: boolean;
}

/**
 * Regression guard (06 F.5): for every class the paired sign-flip test of "treatment has more", Bonferroni over the classes,
 * and a non-inferiority bound (paired t) against the margin.
 *
 * @param pairsByClass per class the pairs used, failures being those of the class, actions those of the whole run
 */
export function regressionGuard(
  pairsByClass: ReadonlyMap<string, readonly PairCounts[]>,
  random: Mt19937,
): GuardResult {
  const classes = [...pairsByClass].map(([name, pairs]) => judgeClass(name, pairs, random));
  const smallest = Math.min(1, ...classes.map(({ p_harm }) => p_harm));
  return {
    classes,
    blocked: classes.length > 0 && smallest <= GUARD_LEVEL / classes.length,
    allSafe: classes.every(({ safe }) => safe),
  };
}

function judgeClass(name: string, pairs: readonly PairCounts[], random: Mt19937): GuardedClass {
  const increases = pairs.map(
    (pair) => pair.treatmentFailures / pair.treatmentActions - pair.controlFailures / pair.controlActions,
  );
  const upper = pairedTUpperBound(increases);
  const margin = Math.max(SMALLEST_MARGIN, MARGIN_SHARE * controlRate(pairs));
  return {
    class: name,
    p_harm: signFlipTestOnRates(pairs.map(swapArms), random),
    upper,
    margin,
    safe: upper < margin,
  };
}

function controlRate(pairs: readonly PairCounts[]): number {
  let failures = 0;
  let actions = 0;
  for (const pair of pairs) {
    failures += pair.controlFailures;
    actions += pair.controlActions;
  }
  return actions === 0 ? 0 : failures / actions;
}
