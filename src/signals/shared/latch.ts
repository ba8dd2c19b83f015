import type { RuleOutcome, Settlement } from '../rule.js';
import type { Symptom } from '../symptom.js';

/** The symptom of a cause that was already said (spec 03 G-15). */
export function standing(symptom: Symptom): Symptom {
  return { ...symptom, standing: true };
}

/** Symptoms whose latch may close now: said in this evaluation, and not standing already. */
export function newlySettled<S>(outcome: RuleOutcome<S>, settlement: Settlement): Symptom[] {
  return outcome.symptoms.filter((symptom) => !symptom.standing && settlement.isSettled(symptom));
}
