import {
  finiteNumber,
  integer,
  isObject,
  type JsonObject,
  listOr,
  nonBlank,
  objectOr,
  objectsOf,
  text,
} from '../../foreign/json.js';
import { patternKey, sessionKey } from './key.js';

export type Severity = 'low' | 'medium' | 'high';

/** Rank of a severity, for comparisons. */
export const SEVERITY_RANK: Readonly<Record<Severity, number>> = { low: 0, medium: 1, high: 2 };
/** Weight of a severity in scores (spec 06 F.9). */
export const SEVERITY_WEIGHT: Readonly<Record<Severity, number>> = { low: 0.2, medium: 0.6, high: 1 };

/** An intent that acts on the session instead of reporting. */
export type HardIntent =
  | { readonly intent_type: 'prune_branch'; readonly family: string }
  | { readonly intent_type: 'delegate'; readonly action_name: string; readonly idempotency_key: string };

/** Experiment in which a prune was held back at random (spec 06 F.10). */
export interface Holdback {
  /** Probability of being held. */
  readonly propensity: number;
  readonly held: boolean;
}

/** A row of the findings file, reduced to what rx needs (spec 01 §6). */
export interface Finding {
  readonly tick: number;
  /** Seconds since the epoch; NaN when the row has none. */
  readonly timestamp: number;
  readonly symptom: string;
  readonly severity: Severity;
  readonly key: string;
  readonly pattern: string;
  /** Ticks of silence that this emission set; null when the row does not say. */
  readonly silence: number | null;
  readonly hard: HardIntent | null;
  /** The action family it is about, `""` when its subject names none. */
  readonly action_family: string;
  /** Keys that its alert explains: present at this tick without an emission. */
  readonly explained: readonly string[];
  readonly holdback: Holdback | null;
}

/** Reads a row; null when it is none. */
export function parseFinding(row: unknown): Finding | null {
  if (!isObject(row)) return null;
  const tick = integer(row['tick_index']);
  const symptom = nonBlank(row['symptom_name']);
  const severity = severityOf(row['severity']);
  if (tick === undefined || symptom === undefined || severity === null) return null;
  const intents = objectsOf(row['intents']);
  const subject = subjectOf(row, intents);
  const until = integer(row['cooldown_until_tick']);
  return {
    tick,
    timestamp: finiteNumber(row['timestamp_unix']) ?? Number.NaN,
    symptom,
    severity,
    key: sessionKey(symptom, subject),
    pattern: patternKey(symptom, subject),
    silence: until === undefined || until < tick ? null : until - tick,
    hard: firstHard(intents),
    action_family: nonBlank(subject['family']) ?? '',
    explained: intents.flatMap(explainedKeys),
    holdback: holdbackOf(row['holdback']),
  };
}

function severityOf(value: unknown): Severity | null {
  return value === 'low' || value === 'medium' || value === 'high' ? value : null;
}

/** The row's own subject, else that of the first intent that has one (spec 06 F.9). */
function subjectOf(row: JsonObject, intents: readonly JsonObject[]): JsonObject {
  if (isObject(row['subject'])) return row['subject'];
  for (const intent of intents) {
    const subject = detailOf(intent)['subject'];
    if (isObject(subject)) return subject;
  }
  return {};
}

function firstHard(intents: readonly JsonObject[]): HardIntent | null {
  for (const intent of intents) {
    const payload = objectOr(intent['payload']);
    if (intent['intent_type'] === 'prune_branch') {
      return { intent_type: 'prune_branch', family: text(payload['family']) ?? '' };
    }
    if (intent['intent_type'] === 'delegate') {
      const action = text(payload['action_name']) ?? '';
      return {
        intent_type: 'delegate',
        action_name: action,
        idempotency_key: text(payload['idempotency_key']) ?? '',
      };
    }
  }
  return null;
}

function explainedKeys(intent: JsonObject): string[] {
  return objectsOf(detailOf(intent)['explains']).flatMap((entry) => {
    const symptom = nonBlank(entry['symptom']);
    return symptom === undefined ? [] : [sessionKey(symptom, objectOr(entry['subject']))];
  });
}

function detailOf(intent: JsonObject): JsonObject {
  return objectOr(objectOr(intent['payload'])['detail']);
}

function holdbackOf(value: unknown): Holdback | null {
  if (!isObject(value)) return null;
  const propensity = finiteNumber(value['propensity']);
  const { held } = value;
  if (propensity === undefined || typeof held !== 'boolean' || propensity <= 0 || propensity >= 1)
    return null;
  return { propensity, held };
}

/** A line of the presence file (spec 01 §6). */
export interface Presence {
  readonly tick: number;
  readonly timestamp: number;
  readonly present: readonly string[];
  readonly undecided: readonly string[];
}

/** Reads a presence line; null when it is none. */
export function parsePresence(row: unknown): Presence | null {
  if (!isObject(row)) return null;
  const tick = integer(row['tick_index']);
  if (tick === undefined || !Array.isArray(row['present'])) return null;
  const texts = (value: unknown) => listOr(value).filter((item): item is string => typeof item === 'string');
  return {
    tick,
    timestamp: finiteNumber(row['timestamp_unix']) ?? Number.NaN,
    present: texts(row['present']),
    undecided: texts(row['undecided']),
  };
}
