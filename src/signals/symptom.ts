import type { JsonObject } from '../foreign/json.js';
import { compareCodePoints } from '../foreign/order.js';

export type Severity = 'low' | 'medium' | 'high';

/** Where a symptom was seen (spec 03 §1.1). */
export type SymptomSource = 'local' | 'server' | 'coordinator_events' | 'inbox' | 'shared_state' | 'unknown';

/** One thing that is wrong, as a rule reports it (spec 03 §1.1). */
export interface Symptom {
  readonly name: string;
  readonly severity: Severity;
  /** One line for a human. */
  readonly summary: string;
  readonly evidence: JsonObject;
  /** Identity for de-duplication and targeting. */
  readonly subject: Readonly<Record<string, string>>;
  readonly source: SymptomSource;
  /** Advice; empty = none. */
  readonly suggestion: string;
  /** Takes the subject's place in the ladder's and the throttle's keys (spec 03 phase_budget-1); never on the wire. */
  readonly cooldownSubject?: Readonly<Record<string, string>>;
  /** A latched symptom that was already said: present, never emitted by itself (spec 03 G-15); never on the wire. */
  readonly standing?: true;
}

const RANK: Readonly<Record<Severity, number>> = { low: 0, medium: 1, high: 2 };

/** low 0, medium 1, high 2. */
export function severityRank(severity: Severity): number {
  return RANK[severity];
}

/** Separates the parts of a key in its text form; what looks like it inside a part becomes U+241F (spec 05 A.12.1). */
const SEPARATOR = '\u001f';

function keyText(name: string, subject: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(subject).map(([key, value]) => `${key}=${value}`);
  pairs.sort(compareCodePoints);
  return [name, ...pairs].map((part) => part.replaceAll(SEPARATOR, '\u241f')).join(SEPARATOR);
}

/** De-duplication key in text form: the name, then the sorted `key=value` pairs, joined by U+001F (spec 03 §1.2). */
export function symptomKey(symptom: Pick<Symptom, 'name' | 'subject'>): string {
  return keyText(symptom.name, symptom.subject);
}

/** Key of the ladder's and the throttle's memory: as above, with the cooldown subject where there is one. */
export function cooldownKey(symptom: Symptom): string {
  return keyText(symptom.name, symptom.cooldownSubject ?? symptom.subject);
}
