import { bootstrapMean } from '../../stats/bootstrap.js';
import { mean, sampleDeviation, skewness } from '../../stats/descriptive.js';
import { Mt19937 } from '../../stats/mt19937.js';
import { pairedTInterval } from '../../stats/paired-t.js';
import { effectOf } from '../../stats/sequential-gate.js';
import { twoProportionZ } from '../../stats/two-proportion-z.js';
import type { Comparison } from '../loop/run-result.js';
import { type CompletePair, classCounts, pairCounts } from './pair.js';

/** Below this many pairs, or with a distribution this skewed, the t interval gets a bootstrap beside it (06 F.2). */
const FEW_PAIRS = 20;
const SKEWED = 1;

/** Mean reduction of the failure rate, positive is better; bounds are null with fewer than two pairs. */
export interface EffectEstimate {
  readonly effect: number;
  readonly effect_low: number | null;
  readonly effect_high: number | null;
  readonly effect_se: number | null;
  readonly effect_bootstrap: { readonly low: number; readonly high: number } | null;
}

/** The effect with its 95 % paired t interval, and a seeded bootstrap interval where t is doubtful (06 F.2). */
export function estimateEffect(pairs: readonly CompletePair[], seed: number): EffectEstimate {
  const effects = pairs.map((pair) => effectOf(pairCounts(pair)));
  if (effects.length < 2) {
    return {
      effect: effects[0] ?? 0,
      effect_low: null,
      effect_high: null,
      effect_se: null,
      effect_bootstrap: null,
    };
  }
  const { low, high } = pairedTInterval(effects);
  const doubtful = effects.length < FEW_PAIRS || Math.abs(skewness(effects)) > SKEWED;
  const resampled = doubtful ? bootstrapMean(effects, { random: new Mt19937(seed) }) : null;
  return {
    effect: mean(effects),
    effect_low: low,
    effect_high: high,
    effect_se: sampleDeviation(effects) / Math.sqrt(effects.length),
    effect_bootstrap: resampled === null ? null : { low: resampled.low, high: resampled.high },
  };
}

/** Share of the total gain that falls into one class; null when there is no gain (06 F.7.8). */
export function attribution(pairs: readonly CompletePair[], targetClass: string): number | null {
  const total = sum(pairs.map((pair) => effectOf(pairCounts(pair))));
  if (total <= 0) return null;
  return sum(pairs.map((pair) => effectOf(classCounts(pair, targetClass)))) / total;
}

/** Both arms as counts of actions with the reference's figures (06 B.9). */
export function compareCounts(pairs: readonly CompletePair[], alpha: number): Comparison {
  const control = {
    failures: sum(pairs.map((pair) => pair.control.failures)),
    total: sum(pairs.map((pair) => pair.control.actions)),
  };
  const treatment = {
    failures: sum(pairs.map((pair) => pair.treatment.failures)),
    total: sum(pairs.map((pair) => pair.treatment.actions)),
  };
  const test = twoProportionZ(control, treatment, alpha);
  return {
    control_failures: control.failures,
    control_total: control.total,
    treatment_failures: treatment.failures,
    treatment_total: treatment.total,
    control_rate: test.controlRate,
    treatment_rate: test.treatmentRate,
    abs_delta: test.absDelta,
    rel_delta: test.relDelta,
    z: test.z,
    p_value: test.pValue,
    significant: test.significant,
    tentative: test.tentative,
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
