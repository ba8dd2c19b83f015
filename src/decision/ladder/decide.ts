import type { JsonObject } from '../../foreign/json.js';
import type { Redact } from '../../foreign/redact.js';
import type { Settlement } from '../../signals/rule.js';
import { cooldownKey, type Symptom } from '../../signals/symptom.js';
import { heartbeat, type Intent } from '../intents.js';
import type { GuardContext } from '../policy-guard.js';
import { commitNotice, commitSent, notePresentEvents, tidy } from './commit.js';
import type { LadderConfig } from './config.js';
import { type Evaluation, withKeys } from './evaluation.js';
import { findingOf, type LadderFinding } from './finding.js';
import { explainedSymptoms, type SymptomLookup } from './inhibition.js';
import { beginLife } from './life.js';
import { Plan } from './plan.js';
import { notePresence } from './presence.js';
import { type PresenceLine, presenceLine } from './presence-line.js';
import { resolvedNotices } from './resolved.js';
import { passed, type Sent, sendDraft, sendIntent } from './send.js';
import { type Silence, silenceOf } from './silences.js';
import { parseSlot, serialiseSlot } from './slot.js';

/** Everything that a decision depends on. */
export interface DecideInput extends SymptomLookup {
  /** The classifier's final list, in its order. */
  readonly symptoms: readonly Symptom[];
  /** Names of symptoms that could not be judged. */
  readonly undecided: readonly string[];
  /** Slot `action_ladder` as stored. */
  readonly rawSlot: JsonObject;
  readonly config: LadderConfig;
  /** The effective tick T; see `effectiveTick`. */
  readonly tick: number;
  /** Unix s, > 0. */
  readonly nowUnix: number;
  readonly sessionId: string;
  /** Absolute. */
  readonly sessionDir: string;
  readonly closingPhase: boolean;
  /** The prompt's `pruned_families`. */
  readonly prunedFamilies: readonly string[];
  readonly silences: readonly Silence[];
  readonly redact: Redact;
}

/** What one symptom sent, and the finding that tells of it. */
export interface Emission {
  readonly key: string;
  readonly symptom: Symptom;
  /** What the guard let through. */
  readonly intents: readonly Intent[];
  readonly finding: LadderFinding;
}

/** What the ladder decided (spec 05 A.12.2). */
export interface Decision {
  /** All intents of the tick, in order; never empty. */
  readonly intents: readonly Intent[];
  readonly emissions: readonly Emission[];
  readonly findings: readonly LadderFinding[];
  readonly presence: PresenceLine;
  /** Slot `action_ladder` to store, once the intents are out. */
  readonly nextSlot: JsonObject;
  readonly settlement: Settlement;
  /** What went wrong and what the guard dropped, for the log. */
  readonly warnings: readonly string[];
}

/**
 * Decides what a tick says (spec 05 A.12.2 steps 1 to 11): pure, so that a live tick and a replay are the same. A symptom
 * that cannot be handled costs its own intents and nothing else.
 */
export function decide(input: DecideInput): Decision {
  const warnings: string[] = [];
  const warn = (message: string): void => {
    warnings.push(message);
  };
  const evaluation = beginEvaluation(input);
  const undecided = new Set(input.undecided);
  notePresence(evaluation, undecided);
  const silenced = silencedKeys(evaluation, input.silences);
  const explained = explainedSymptoms(evaluation, input, silenced, warn);
  const guard: GuardContext = { closingPhase: input.closingPhase, sessionDir: input.sessionDir };

  const sent = sendAll(evaluation, { input, explained, silenced, guard, warn });
  const notices = resolvedNotices(evaluation, undecided, input.silences, input, input.redact).flatMap(
    (notice) => {
      const { intent, rule } = sendIntent(notice.intent, guard, warn);
      return rule === undefined ? [{ ...notice, intent }] : [];
    },
  );
  const emissions = sent.map((one) => commitEmission(evaluation, one));
  for (const notice of notices) commitNotice(evaluation, notice);
  notePresentEvents(evaluation, input);
  tidy(evaluation, input);

  const intents = [
    ...emissions.flatMap((emission) => emission.intents),
    ...notices.map(({ intent }) => intent),
  ];
  const emitted = new Set(emissions.filter((emission) => emission.intents.length > 0).map(({ key }) => key));
  const carried = sent.flatMap(({ intents: all }) =>
    all.flatMap(({ planned, rule }) => (rule === undefined ? planned.carries : [])),
  );
  return {
    intents: intents.length > 0 ? intents : [heartbeat()],
    emissions,
    findings: emissions.map(({ finding }) => finding),
    presence: presenceLine(evaluation, {
      heard: new Set([...emitted, ...carried]),
      silenced,
      explained,
      undecided: input.undecided,
    }),
    nextSlot: serialiseSlot(evaluation.slot),
    settlement: { isSettled: (symptom) => emitted.has(cooldownKey(symptom)) },
    warnings,
  };
}

function beginEvaluation(input: DecideInput): Evaluation {
  const { tick, config } = input;
  const slot = parseSlot(input.rawSlot);
  const life = beginLife(slot, tick, config);
  return { tick, now: input.nowUnix, config, slot, listed: withKeys(input.symptoms), ...life };
}

function silencedKeys({ listed, now }: Evaluation, silences: readonly Silence[]): Set<string> {
  const held = listed.filter(({ symptom }) => silenceOf(symptom, silences, now) !== undefined);
  return new Set(held.map(({ key }) => key));
}

interface SendContext {
  readonly input: DecideInput;
  readonly explained: ReturnType<typeof explainedSymptoms>;
  readonly silenced: ReadonlySet<string>;
  readonly guard: GuardContext;
  readonly warn: (message: string) => void;
}

/** Steps 4 to 6 and 9, each symptom by itself: drafts first, because a recover may take in later ones. */
function sendAll(evaluation: Evaluation, { input, explained, silenced, guard, warn }: SendContext): Sent[] {
  const { sessionId, closingPhase, prunedFamilies, redact } = input;
  const session = { sessionId, closingPhase, prunedFamilies };
  const plan = new Plan({ evaluation, explained, silenced, session, guard, redact });
  const isolated = <T>(name: string, work: () => T): T | undefined => {
    try {
      return work();
    } catch (error) {
      warn(`${name} could not be decided: ${String(error)}`);
      return undefined;
    }
  };
  const drafts = evaluation.listed.flatMap(
    (item) => isolated(item.symptom.name, () => plan.draft(item)) ?? [],
  );
  return drafts.flatMap((draft) => isolated(draft.wire.name, () => sendDraft(draft, guard, warn)) ?? []);
}

function commitEmission(evaluation: Evaluation, sent: Sent): Emission {
  const { key, symptom } = sent.draft.item;
  const silence = commitSent(evaluation, sent);
  return { key, symptom, intents: passed(sent.intents), finding: findingOf(evaluation, sent, silence) };
}
