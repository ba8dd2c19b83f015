import { erfc } from './normal.js';

/** Result of the reference's test, in rates of failed actions. */
export interface TwoProportionResult {
  readonly controlRate: number;
  readonly treatmentRate: number;
  /** Treatment minus control; negative is better. */
  readonly absDelta: number;
  /** absDelta / controlRate, 0 when the control rate is 0. */
  readonly relDelta: number;
  readonly z: number;
  /** Two-sided. */
  readonly pValue: number;
  /** Improved and pValue < alpha. */
  readonly significant: boolean;
  /** Fewer than five failures in an arm. */
  readonly tentative: boolean;
}

/**
 * Pooled two-proportion z-test on counts of actions (06 B.9). It takes the actions of a run for independent, which they are
 * not: kept to reproduce the reference, not to decide.
 */
export function twoProportionZ(
  control: { readonly failures: number; readonly total: number },
  treatment: { readonly failures: number; readonly total: number },
  alpha = 0.05,
): TwoProportionResult {
  const controlRate = rate(control.failures, control.total);
  const treatmentRate = rate(treatment.failures, treatment.total);
  const pooled = rate(control.failures + treatment.failures, control.total + treatment.total);
  const usable = control.total > 0 && treatment.total > 0 && pooled > 0 && pooled < 1;
  const error = usable ? Math.sqrt(pooled * (1 - pooled) * (1 / control.total + 1 / treatment.total)) : 0;
  const absDelta = treatmentRate - controlRate;
  const z = error === 0 ? 0 : absDelta / error;
  const pValue = erfc(Math.abs(z) / Math.SQRT2);
  return {
    controlRate,
    treatmentRate,
    absDelta,
    relDelta: controlRate === 0 ? 0 : absDelta / controlRate,
    z,
    pValue,
    significant: absDelta < 0 && pValue < alpha,
    tentative: Math.min(control.failures, treatment.failures) < 5,
  };
}

function rate(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
