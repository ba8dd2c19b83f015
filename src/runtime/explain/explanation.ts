import { ladderFields } from '../../decision/ladder/config.js';
import { splitKey } from '../../decision/ladder/key.js';
import { type KeyMemory, keyMemory } from '../../decision/ladder/reminder.js';
import { type Silence, silenceOf } from '../../decision/ladder/silences.js';
import { pickFields } from '../../foreign/config-field.js';
import type { JsonObject } from '../../foreign/json.js';
import type { AgentConfig } from '../../reactor/config/fields.js';
import type { Finding } from '../../reactor/findings/finding.js';
import { findingId } from '../../reactor/findings/finding-id.js';
import { RULES } from '../../signals/registry.js';
import type { Rule, SymptomSpec } from '../../signals/rule.js';
import { silenceCommand } from '../silence/matcher.js';
import type { LastPresence } from './last-presence.js';

/** What is known of the session apart from the finding itself. */
export interface SessionFacts {
  readonly sessionDir: string;
  readonly config: AgentConfig;
  /** Slot `action_ladder` of the state file that belongs to the finding. */
  readonly rawSlot: JsonObject;
  readonly silences: readonly Silence[];
  readonly presence: LastPresence | undefined;
  /** Unix s. */
  readonly nowUnix: number;
}

/** Why something was said, or was not, and what happens next. */
export interface Explanation {
  readonly symptom: string;
  readonly key: string;
  readonly subject: Readonly<Record<string, string>>;
  /** The last finding of it; undefined when it never sent anything. */
  readonly finding: Finding | undefined;
  readonly findingId: string | undefined;
  /** Undefined for a symptom of another version, or of an embedder. */
  readonly rule: Rule | undefined;
  readonly spec: SymptomSpec | undefined;
  readonly settings: Readonly<Record<string, AgentConfig[string] | undefined>>;
  readonly memory: KeyMemory | undefined;
  /** In the last evaluation: there, gone, or not to be judged; undefined when no evaluation is on record. */
  readonly presence: 'present' | 'absent' | 'undecided' | undefined;
  readonly lastEvaluation: LastPresence | undefined;
  /** Why the last evaluation said nothing of it. */
  readonly mutedBy: string | undefined;
  readonly silence: Silence | undefined;
  readonly silenceCommand: string;
}

/** Puts together what is known of one key. */
export function explainKey(key: string, finding: Finding | undefined, facts: SessionFacts): Explanation {
  const { name, subject: keySubject } = splitKey(key);
  const subject = finding?.subject ?? keySubject;
  const rule = RULES.find(({ symptoms }) => Object.hasOwn(symptoms, name));
  const { presence } = facts;
  return {
    symptom: name,
    key,
    subject,
    finding,
    findingId: finding && findingId(finding),
    rule,
    spec: rule?.symptoms[name],
    settings: Object.fromEntries(
      Object.entries(rule?.config ?? {}).map(([field, { default: value }]) => [
        field,
        facts.config[field] ?? value,
      ]),
    ),
    memory: keyMemory(facts.rawSlot, key, pickFields(ladderFields, facts.config)),
    presence: presence && presenceOf(key, name, presence),
    lastEvaluation: presence,
    mutedBy: presence?.muted[key],
    silence: silenceOf({ name, subject }, facts.silences, facts.nowUnix),
    silenceCommand: silenceCommand(name, subject, facts.sessionDir),
  };
}

function presenceOf(key: string, name: string, last: LastPresence): 'present' | 'absent' | 'undecided' {
  if (last.present.includes(key)) return 'present';
  return last.undecided.includes(name) ? 'undecided' : 'absent';
}

/** The explanation for programs; its shape does not change. */
export function explanationJson(explanation: Explanation): JsonObject {
  const { finding, memory, spec, rule, lastEvaluation } = explanation;
  return {
    symptom: explanation.symptom,
    subject: explanation.subject,
    key: explanation.key,
    finding_id: explanation.findingId ?? null,
    finding: finding === undefined ? null : JSON.parse(JSON.stringify(finding)),
    rule: rule?.name ?? null,
    meaning: spec?.meaning ?? null,
    action: spec?.action ?? null,
    settings: Object.fromEntries(
      Object.entries(explanation.settings).map(([name, value]) => [name, value ?? null]),
    ),
    presence: explanation.presence ?? null,
    last_evaluation_tick: lastEvaluation?.tick ?? null,
    muted_by: explanation.mutedBy ?? null,
    last_emitted_tick: memory?.lastTick ?? null,
    next_reminder_tick: memory?.dueTick ?? null,
    next_reminder_unix: memory?.dueUnix ?? null,
    confirmations: memory?.confirmations ?? null,
    remedy: memory?.remedy ?? null,
    silence_id: explanation.silence?.id ?? null,
    silence_command: explanation.silenceCommand,
  };
}
