import { severityWeight } from '../incidents/score.js';
import { KNOWN_CLASSIFICATIONS } from '../trace/event.js';

const TRACE_DIVISOR = 16;
const FIRST_ONE_HOT = 7;
const ENVIRONMENT = KNOWN_CLASSIFICATIONS.indexOf('environment_constraint');

/**
 * The ranking before anything was learned (spec 06 B.6): clamp(0.5·final/divisor + 0.3·(1 − recovery) + 0.2·weight).
 * The divisor is 16 for traces, although 13 is the largest final score, because the golden orders need it (F.7.5).
 */
export function prior(
  finalScore: number,
  recoveryRate: number,
  weight: number,
  divisor = TRACE_DIVISOR,
): number {
  const score = (0.5 * finalScore) / divisor + 0.3 * (1 - recoveryRate) + 0.2 * weight;
  return Math.min(1, Math.max(0, score));
}

/** The prior rebuilt from a trace feature vector (spec 06 B.5, B.6). */
export function priorOfFeatures(features: readonly number[]): number {
  const index = KNOWN_CLASSIFICATIONS.findIndex((_, i) => (features[FIRST_ONE_HOT + i] ?? 0) >= 0.5);
  return prior(features[3] ?? 0, features[2] ?? 0, severityWeight(KNOWN_CLASSIFICATIONS[index] ?? ''));
}

/** The same with 0 for environment constraints, the stronger baseline (spec 06 E.11, F.7.3). */
export function priorWithoutEnvironment(features: readonly number[]): number {
  return (features[FIRST_ONE_HOT + ENVIRONMENT] ?? 0) >= 0.5 ? 0 : priorOfFeatures(features);
}
