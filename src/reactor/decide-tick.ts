import { ladderFields } from '../decision/ladder/config.js';
import { type Decision, decide } from '../decision/ladder/decide.js';
import type { Silence } from '../decision/ladder/silences.js';
import { effectiveTick } from '../decision/ladder/tick.js';
import { pickFields } from '../foreign/config-field.js';
import type { Redact } from '../foreign/redact.js';
import { type Classification, type ClassifyOptions, classify } from '../signals/classify.js';
import { RULES } from '../signals/registry.js';
import type { SymptomSpec } from '../signals/rule.js';
import { logRole } from '../signals/shared/log-patterns.js';
import type { Snapshot } from '../sources/snapshot.js';
import type { AgentConfig } from './config/fields.js';
import type { ReactorContext } from './context.js';
import { type Slots, slotOf, withSlots } from './store/slots.js';

/** Slot of the ladder in the detector state. */
export const LADDER_SLOT = 'action_ladder';

export interface TickFacts {
  readonly context: ReactorContext;
  readonly snapshot: Snapshot;
  readonly slots: Slots;
  readonly config: AgentConfig;
  readonly silences: readonly Silence[];
  readonly redact: Redact;
  /** The effective tick, when it is not the prompt's. */
  readonly tick?: number;
  /** Evaluators that an embedder adds after the rules. */
  readonly options?: ClassifyOptions;
}

export interface TickDecision {
  readonly decision: Decision;
  readonly classification: Classification;
  /** The effective tick (spec 01 §5.2). */
  readonly tick: number;
  /** The detector state after this tick. */
  readonly slots: Slots;
  /** One line per rule that failed: part of the answer's `parse_warnings`. */
  readonly warnings: readonly string[];
}

/** What a symptom means, from the rule that declares it. */
export function specOf(name: string): SymptomSpec | undefined {
  return RULES.find((rule) => Object.hasOwn(rule.symptoms, name))?.symptoms[name];
}

/** Judges and decides one tick. Pure: the live tick, the loop and a replay all call this. */
export function decideTick(facts: TickFacts, mark?: (phase: string) => void): TickDecision {
  const { context, snapshot, slots, config, silences, redact } = facts;
  const ladder = pickFields(ladderFields, config);
  const rawSlot = slotOf(slots, LADDER_SLOT);
  const tick = facts.tick ?? effectiveTick(context.shared_state.tick, rawSlot, ladder);
  const classification = classify(
    { context, snapshot, config, loadSlot: (name) => slotOf(slots, name) },
    { redact, ...facts.options },
  );
  mark?.('judge');
  const decision = decide({
    symptoms: classification.symptoms,
    undecided: classification.undecided,
    rawSlot,
    config: ladder,
    tick,
    nowUnix: context.now_unix,
    sessionId: context.session_id,
    sessionDir: context.session_dir,
    closingPhase: context.shared_state.closing_phase,
    prunedFamilies: context.shared_state.pruned_families,
    silences,
    redact,
    specOf,
    logRoleOf: logRole,
  });
  const final = classification.finalStates(decision.settlement);
  const failures = [...classification.failures, ...final.failures];
  return {
    decision,
    classification,
    tick,
    slots: withSlots(slots, { ...final.slots, [LADDER_SLOT]: decision.nextSlot }),
    warnings: [
      ...failures.map(
        ({ rule, errorClass }) => `rule ${rule} failed (${errorClass}); all others were judged`,
      ),
      ...classification.overflows.map(
        ({ rule, count }) => `rule ${rule}: ${count} further symptoms left out`,
      ),
    ],
  };
}
