import { cutCodePoints } from '../../foreign/hygiene.js';
import { type JsonObject, listOr, objectOr, storedInteger, text } from '../../foreign/json.js';
import type { CollectorReport, Snapshot } from '../../sources/snapshot.js';
import { defineRule, type RuleFailure } from '../rule.js';
import { newlySettled, standing } from '../shared/latch.js';
import { mayAdvance } from '../shared/tick-gate.js';
import type { Symptom } from '../symptom.js';

const MIN_EVALUATIONS = 3;
const MAX_FAILED = 256;
const MESSAGE_LENGTH = 200;

/** Reasons of an unknown that are how this host is, and no trouble of ours: nothing to look with, or not to be looked at. */
const NORMAL_REASONS: ReadonlySet<string> = new Set([
  'missing',
  'not_on_path',
  'other_host',
  'disabled',
  'multi_node',
  'no_session',
]);

type State = {
  /** Failures that were said: rule, error class. */
  readonly failed: readonly (readonly [rule: string, errorClass: string])[];
  /** Evaluations in a row in which a collector gave no answer. */
  readonly streaks: Readonly<Record<string, number>>;
  readonly last_tick: number;
};

/** When a part of this agent itself does not work; runs last, so that it sees every other rule fail (spec 04 §11). */
export const selfHealth = defineRule({
  name: 'self_health',
  configSlot: 'self_health',
  needs: [],
  symptoms: {
    rule_failed: {
      severities: ['low'],
      subjectKeys: ['rule'],
      nature: 'latched',
      meaning: 'A rule of this agent threw an error and judged nothing in this evaluation; the others ran.',
      action: 'Report it with a recording of the tick; until it is fixed, its symptoms cannot be seen.',
    },
    collector_degraded: {
      severities: ['low'],
      subjectKeys: ['collector'],
      nature: 'state',
      meaning: 'A collector has given no answer in several evaluations, so what it looks at is unknown.',
      action: 'Run `robustness-agent doctor` on the host; it names what the collector lacks.',
    },
  },
  config: {},
  state: { slot: 'self_health', parse: parseState },
  evaluate({ context, snapshot, state, failedRules }) {
    const tick = context.shared_state.tick;
    const streaks = degradedStreaks(snapshot, state.streaks, mayAdvance(tick, state.last_tick));
    const failures = failedRules.map((failure) => {
      const symptom = ruleFailed(failure);
      return wasSaid(state, failure) ? standing(symptom) : symptom;
    });
    return {
      symptoms: [...failures, ...degradedSymptoms(snapshot, streaks)],
      state: { ...state, streaks, last_tick: tick },
    };
  },
  settle(state, outcome, settlement, { failedRules }) {
    const said = new Set(newlySettled(outcome, settlement).map(({ subject }) => subject['rule']));
    const added = failedRules.filter((failure) => said.has(failure.rule) && !wasSaid(state, failure));
    if (added.length === 0) return state;
    const failed = [...state.failed, ...added.map(({ rule, errorClass }) => [rule, errorClass] as const)];
    return { ...state, failed: failed.slice(-MAX_FAILED) };
  },
});

function wasSaid({ failed }: State, { rule, errorClass }: RuleFailure): boolean {
  return failed.some(([name, kind]) => name === rule && kind === errorClass);
}

function ruleFailed({ rule, errorClass, message }: RuleFailure): Symptom {
  return {
    name: 'rule_failed',
    severity: 'low',
    subject: { rule },
    source: 'local',
    summary: `Rule ${rule} failed with ${errorClass} and judged nothing in this evaluation`,
    suggestion:
      'Report it with a recording of the tick; until it is fixed, the symptoms of this rule cannot be seen.',
    evidence: { rule, error: errorClass, message: cutCodePoints(message, MESSAGE_LENGTH) },
  };
}

function degradedStreaks(
  snapshot: Snapshot,
  before: State['streaks'],
  advance: boolean,
): Record<string, number> {
  const degraded = Object.entries(snapshot.collectors ?? {}).filter(([, report]) => isDegraded(report));
  const counted = degraded.map(([name]): [string, number] => [name, (before[name] ?? 0) + (advance ? 1 : 0)]);
  return Object.fromEntries(counted);
}

function isDegraded({ status, reason }: CollectorReport): boolean {
  if (status === 'error' || status === 'timeout') return true;
  return status === 'unknown' && !NORMAL_REASONS.has(reason);
}

function degradedSymptoms(snapshot: Snapshot, streaks: Readonly<Record<string, number>>): Symptom[] {
  return Object.entries(snapshot.collectors ?? {}).flatMap(([collector, report]): Symptom[] => {
    const evaluations = streaks[collector] ?? 0;
    if (evaluations < MIN_EVALUATIONS) return [];
    return [
      {
        name: 'collector_degraded',
        severity: 'low',
        subject: { collector },
        source: 'local',
        summary:
          `Collector ${collector} has given no answer in ${evaluations} evaluations in a row ` +
          `(${report.status}${report.detail === '' ? '' : `: ${report.detail}`})`,
        suggestion: 'Run robustness-agent doctor on the host; it names what the collector lacks.',
        evidence: { collector, status: report.status, detail: report.detail, evaluations },
      },
    ];
  });
}

function parseState(raw: JsonObject): State {
  const failed = listOr(raw['failed']).flatMap((item): (readonly [string, string])[] => {
    const [rule, errorClass] = listOr(item).map(text);
    return rule === undefined || errorClass === undefined ? [] : [[rule, errorClass]];
  });
  const streaks = Object.entries(objectOr(raw['streaks'])).map(([name, count]): [string, number] => [
    name,
    Math.max(0, storedInteger(count, 0)),
  ]);
  return {
    failed: failed.slice(-MAX_FAILED),
    streaks: Object.fromEntries(streaks),
    last_tick: storedInteger(raw['last_tick'], 0),
  };
}
