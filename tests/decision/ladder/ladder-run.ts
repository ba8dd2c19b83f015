import { type LadderConfig, ladderFields } from '../../../src/decision/ladder/config.js';
import { type DecideInput, type Decision, decide } from '../../../src/decision/ladder/decide.js';
import { defaultsOf } from '../../../src/foreign/config-field.js';
import { isObject, type JsonObject } from '../../../src/foreign/json.js';
import { redactText } from '../../../src/foreign/redact.js';
import type { Explanation, SymptomSpec } from '../../../src/signals/rule.js';
import { logRole } from '../../../src/signals/shared/log-patterns.js';
import type { Severity, Symptom } from '../../../src/signals/symptom.js';

export const DEFAULTS: LadderConfig = defaultsOf(ladderFields);

/** What the reference does (spec 05 A.12, third column). */
export const REFERENCE: LadderConfig = {
  ...DEFAULTS,
  escalation_bypasses_cooldown: false,
  cooldown_release_s: 0,
  tick_counter_persisted: false,
  tick_regression_resets: false,
  reminder_backoff: 1,
  reminder_max_ticks: 5,
  destructive_confirmations: 1,
  prune_lower_confirmations: 0,
  max_recovers_per_tick: 0,
  recover_backoff_ticks: 0,
  protected_families: [],
  repeat_prune: true,
  inhibition_enabled: false,
  resolved_notices: false,
};

export const SESSION_DIR = '/srv/session';

/** A symptom with the parts that a test cares about. */
export function symptom(name: string, severity: Severity, parts: Partial<Symptom> = {}): Symptom {
  return {
    name,
    severity,
    summary: 'sum',
    evidence: {},
    subject: {},
    source: 'local',
    suggestion: '',
    ...parts,
  };
}

/** A spec of which only nature and explanations matter. */
export function spec(nature: SymptomSpec['nature'], explains: readonly Explanation[] = []): SymptomSpec {
  return { severities: ['high'], subjectKeys: [], nature, meaning: '', action: '', explains };
}

const NATURES: Readonly<Record<string, SymptomSpec>> = {
  same_payload_loop: spec('event', [
    {
      row: 18,
      explains: ['repeated_failure'],
      when: (a, b) => a.subject['family'] === b.subject['family'],
      destructive: 'dropped',
    },
  ]),
  repeated_failure: spec('event'),
};

/** The sample rules of spec 05 A.12.3; every other symptom is a state. */
export function sampleSpec(name: string): SymptomSpec {
  return NATURES[name] ?? spec('state');
}

export type Overrides = Partial<Omit<DecideInput, 'config'>> & { readonly config?: Partial<LadderConfig> };

/** One decision on a slot. */
export function decideOn(
  rawSlot: JsonObject,
  symptoms: readonly Symptom[],
  tick: number,
  overrides: Overrides = {},
): Decision {
  const { config, ...rest } = overrides;
  return decide({
    symptoms,
    undecided: [],
    rawSlot,
    tick,
    nowUnix: 1_700_000_000 + tick * 60,
    sessionId: 's',
    sessionDir: SESSION_DIR,
    closingPhase: false,
    prunedFamilies: [],
    silences: [],
    redact: redactText,
    specOf: sampleSpec,
    logRoleOf: logRole,
    ...rest,
    config: { ...DEFAULTS, ...config },
  });
}

/** A session whose slot goes through JSON between ticks, as it does between processes. */
export class Session {
  slot: JsonObject = {};

  constructor(private readonly overrides: Overrides = {}) {}

  at(tick: number, symptoms: readonly Symptom[], overrides: Overrides = {}): Decision {
    const config = { ...this.overrides.config, ...overrides.config };
    const decision = decideOn(this.slot, symptoms, tick, { ...this.overrides, ...overrides, config });
    const stored: unknown = JSON.parse(JSON.stringify(decision.nextSlot));
    this.slot = isObject(stored) ? stored : {};
    return decision;
  }
}

/** Intents in short: `alert high x`, `recover KEY`, `prune FAMILY`, `heartbeat`, `resolved x`, `observation x`. */
export function brief(decision: Decision): string[] {
  return decision.intents.map(({ intent_type, payload }) => {
    const detail = isObject(payload['detail']) ? payload['detail'] : {};
    if (intent_type === 'alert') return `alert ${payload['severity']} ${detail['symptom']}`;
    if (intent_type === 'delegate') return `recover ${payload['idempotency_key']}`;
    if (intent_type === 'prune_branch') return `prune ${payload['family']}`;
    if (payload['topic'] === 'heartbeat') return 'heartbeat';
    return `${detail['resolved'] === true ? 'resolved' : 'observation'} ${detail['symptom']}`;
  });
}

/** The details of the tick's alerts and observations, in order. */
export function details(decision: Decision): JsonObject[] {
  return decision.intents.flatMap(({ payload }) => (isObject(payload['detail']) ? [payload['detail']] : []));
}
