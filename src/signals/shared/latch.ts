import type { Json } from '../../foreign/json.js';
import type { RuleOutcome, Settlement } from '../rule.js';
import { type Severity, type Symptom, severityRank } from '../symptom.js';

/** The symptom of a cause that was already said (spec 03 G-15). */
export function standing(symptom: Symptom): Symptom {
  return { ...symptom, standing: true };
}

/** Standing, unless it has become more severe than when it was said: escalation is never muted. */
export function standingUnlessWorse(symptom: Symptom, said: Severity): Symptom {
  return severityRank(symptom.severity) > severityRank(said) ? symptom : standing(symptom);
}

/** The severity at which something was said; slots without one are older than the distinction and never speak again. */
export function saidSeverity(value: Json | undefined): Severity {
  return value === 'low' || value === 'medium' ? value : 'high';
}

/** Symptoms whose latch may close now: said in this evaluation, and not standing already. */
export function newlySettled<S>(outcome: RuleOutcome<S>, settlement: Settlement): Symptom[] {
  return outcome.symptoms.filter((symptom) => !symptom.standing && settlement.isSettled(symptom));
}
