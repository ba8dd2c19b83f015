import type { JsonObject } from '../../foreign/json.js';
import type { Severity } from '../../signals/symptom.js';
import type { Intent } from '../intents.js';
import type { LadderField } from './config.js';
import type { Evaluation } from './evaluation.js';
import type { Holdback } from './remedy-state.js';
import { droppedOf, passed, type Sent } from './send.js';

/** One line of the findings file as the ladder makes it, in the order of its keys (spec 05 A.7, A.12.4, 01 §6). */
export type LadderFinding = {
  readonly tick_index: number;
  /** Unix s. */
  readonly timestamp_unix: number;
  readonly symptom_name: string;
  readonly severity: Severity;
  readonly summary: string;
  /** What the guard let through. */
  readonly intents: readonly Intent[];
  readonly evidence: JsonObject;
  /** Filled in later, when there is time. */
  readonly rca_text: string;
  readonly subject: Readonly<Record<string, string>>;
  readonly cooldown_until_tick: number;
  readonly policy?: readonly LadderField[];
  readonly holdback?: Holdback & JsonObject;
};

/** The finding of an emitted symptom; paths keep their keys here (spec 01 §4.2). */
export function findingOf({ tick, now }: Evaluation, sent: Sent, silence: number): LadderFinding {
  const { wire, policy, holdback } = sent.draft;
  const dropped = droppedOf(sent.intents);
  return {
    tick_index: tick,
    timestamp_unix: now,
    symptom_name: wire.name,
    severity: wire.severity,
    summary: wire.summary,
    intents: passed(sent.intents),
    evidence: dropped.length > 0 ? { ...wire.evidence, dropped_intents: dropped } : wire.evidence,
    rca_text: '',
    subject: wire.subject,
    cooldown_until_tick: tick + silence,
    ...(policy.length > 0 ? { policy } : {}),
    ...(holdback ? { holdback: { ...holdback } } : {}),
  };
}
