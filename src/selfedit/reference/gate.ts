import { editDistance, frozenViolations, lexicalDrift, oracleDrift, type ReferenceEdit } from './guards.js';

/** The figures of an A/B test as the reference's gate reads them. */
export interface ReferenceFigures {
  readonly trials: number;
  /** Relative. */
  readonly effect: number;
  readonly p: number;
}

export interface ReferenceGateInput extends ReferenceFigures {
  readonly prompt: string;
  /** Version 1, from which drift adds up. */
  readonly original: string;
  readonly edit: ReferenceEdit;
  readonly expectedOutputs: readonly string[];
  readonly frozenNames?: readonly string[];
  readonly nearMissThreshold?: number;
}

export interface ReferenceCheck {
  readonly name: string;
  readonly passed: boolean;
  readonly value: number;
}

/** What the reference decides, and the checks it ran. */
export interface ReferenceDecision {
  readonly decision: 'promote' | 'near_miss' | 'reject';
  readonly checks: readonly ReferenceCheck[];
}

const SAMPLE_FLOOR = 10;
const MIN_EFFECT = 0.05;
const CONFIDENCE = 0.95;
const MAX_LINES = 20;
const MAX_DRIFT = 0.3;
const MAX_ORACLE = 0.8;

/** The seven checks of the reference in their order, up to the first that fails (spec 08 §13); to compare with, not to use. */
export function referenceGate(input: ReferenceGateInput): ReferenceDecision {
  const { prompt, edit, original, trials, effect, p } = input;
  const candidate = prompt.replaceAll(edit.old_text, edit.new_text);
  const within = (name: string, value: number, limit: number): ReferenceCheck => ({
    name,
    value,
    passed: value <= limit,
  });
  const steps: (() => ReferenceCheck)[] = [
    () => ({ name: 'sample_floor', value: trials, passed: trials >= SAMPLE_FLOOR }),
    () => ({ name: 'effect_size', value: effect, passed: effect >= MIN_EFFECT }),
    // Binary 1 − 0.95 is a little more than 0.05, hence p = 0.05 passes.
    () => ({ name: 'confidence', value: p, passed: p < 1 - CONFIDENCE }),
    () => within('frozen_sections', frozenViolations(prompt, edit, input.frozenNames), 0),
    () => within('edit_distance', editDistance(prompt, edit), MAX_LINES),
    () => within('drift', lexicalDrift(original, candidate), MAX_DRIFT),
    () => within('oracle_drift', oracleDrift(input.expectedOutputs), MAX_ORACLE),
  ];
  const checks: ReferenceCheck[] = [];
  for (const step of steps) {
    const check = step();
    checks.push(check);
    if (check.passed) continue;
    // The chain stops here, so the share is k/(k + 1): only a first failure is ever a reject (spec 08 §13).
    const share = (checks.length - 1) / checks.length;
    const isNear = share > 0 && share >= (input.nearMissThreshold ?? 0.5);
    return { decision: isNear ? 'near_miss' : 'reject', checks };
  }
  return { decision: 'promote', checks };
}
