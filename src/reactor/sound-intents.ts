import { listOr } from '../foreign/json.js';
import type { Finding, WireIntent } from './findings/finding.js';
import { validateIntent } from './generated/validators.js';

/** Named in `dropped_intents`, as the guard names its rules. */
const RULE = 'schema';

export interface CheckedIntents {
  readonly sound: readonly WireIntent[];
  /** One line per intent that was left out, for the log and `parse_warnings`. */
  readonly problems: readonly string[];
}

/**
 * The last look before an answer leaves: the intents that satisfy schemas/intent.schema.json. A single bad one would make the
 * Coordinator drop the whole turn (spec 01 §1.7), so it goes alone.
 */
export function soundIntents(intents: readonly WireIntent[]): CheckedIntents {
  const checked = intents.map((intent) => ({ intent, problem: problemOf(intent) }));
  return {
    sound: checked.filter(({ problem }) => problem === undefined).map(({ intent }) => intent),
    problems: checked.flatMap(({ problem }) => problem ?? []),
  };
}

/** The finding of what really went out: intents that were left out are named in its evidence, as those of the guard are. */
export function soundFinding(finding: Finding): Finding {
  const { sound } = soundIntents(finding.intents);
  if (sound.length === finding.intents.length) return finding;
  const left = finding.intents
    .filter((intent) => !sound.includes(intent))
    .map(({ intent_type }) => ({ intent_type, rule: RULE }));
  const dropped = [...listOr(finding.evidence['dropped_intents']), ...left];
  return { ...finding, intents: sound, evidence: { ...finding.evidence, dropped_intents: dropped } };
}

function problemOf(intent: WireIntent): string | undefined {
  if (validateIntent(intent)) return undefined;
  const error = validateIntent.errors?.[0];
  const place = error?.instancePath || 'the intent';
  return `an intent ${intent.intent_type} was left out: ${place} fails "${error?.keyword}" of its schema`;
}
