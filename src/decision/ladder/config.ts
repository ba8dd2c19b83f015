import type { ConfigFields, ConfigValues } from '../../foreign/config-field.js';

/** Policy of the ladder (spec 05 A.12, 04 §13.1, 06 F.10), in the order in which `policy` lists the names. */
export const ladderFields = {
  cooldown_ticks: {
    type: 'integer',
    default: 5,
    unit: 'ticks',
    signed: true,
    doc: 'First silence of a symptom after an emission; 0 or less: no silence.',
  },
  escalation_bypasses_cooldown: {
    type: 'boolean',
    default: true,
    doc: 'A severity above the last one emitted passes at once; a lower one waits until the higher one has stayed away.',
  },
  reminder_backoff: {
    type: 'number',
    default: 2,
    unit: 'factor',
    minimum: 1,
    doc: 'Every further emission at the same severity multiplies the silence by this.',
  },
  reminder_max_ticks: {
    type: 'integer',
    default: 40,
    unit: 'ticks',
    doc: 'Longest silence; never below cooldown_ticks.',
  },
  cooldown_release_s: {
    type: 'number',
    default: 1800,
    unit: 's',
    doc: 'A muted symptom is also released after this time, scaled with its silence; 0: off.',
  },
  tick_counter_persisted: {
    type: 'boolean',
    default: true,
    doc: 'A prompt without a tick counts as the tick after the last one.',
  },
  tick_regression_resets: {
    type: 'boolean',
    default: true,
    doc: 'A tick below the last one starts a new life of the session: nothing stays muted.',
  },
  destructive_confirmations: {
    type: 'integer',
    default: 2,
    unit: 'evaluations',
    minimum: 1,
    doc: 'Consecutive evaluations at HIGH before a recover or a prune goes out; 1: at once.',
  },
  prune_lower_confirmations: {
    type: 'integer',
    default: 2,
    unit: 'evaluations',
    doc: 'Consecutive evaluations below HIGH that stand for one at HIGH right after them before a prune goes out; 0: none do.',
  },
  max_recovers_per_tick: {
    type: 'integer',
    default: 1,
    unit: 'count',
    doc: 'Recovers beyond this number are merged into the first one; 0: no limit.',
  },
  recover_backoff_ticks: {
    type: 'integer',
    default: 10,
    unit: 'ticks',
    doc: 'No further recover so soon after one; doubles with each, up to 16 times; 0: off.',
  },
  protected_families: {
    type: 'string_list',
    default: ['baseline', 'recover', 'report', 'validate_stack'],
    doc: 'Action families that are never pruned.',
  },
  repeat_prune: {
    type: 'boolean',
    default: false,
    doc: 'Prune a family again that was pruned before.',
  },
  inhibition_enabled: {
    type: 'boolean',
    default: true,
    doc: 'A symptom that a present one explains is listed in that alert, not sent beside it.',
  },
  resolved_notices: {
    type: 'boolean',
    default: true,
    doc: 'One message when a state that was reported at HIGH is gone.',
  },
  inhibition_event_s: {
    type: 'number',
    default: 600,
    unit: 's',
    doc: 'An event that was reported goes on explaining for this long after it was last seen.',
  },
  holdback_pct: {
    type: 'number',
    default: 0,
    unit: '%',
    maximum: 50,
    doc: 'Share of prunes that wait for one more confirmation, so that their effect can be estimated; 0: none.',
  },
} as const satisfies ConfigFields;

/** Names of the ladder's fields. */
export type LadderField = keyof typeof ladderFields;

/** The ladder's policy. */
export type LadderConfig = ConfigValues<typeof ladderFields>;

/** Field names without repetition, in table order (spec 05 A.12.4 `policy`). */
export function inTableOrder(names: Iterable<LadderField>): LadderField[] {
  const order = Object.keys(ladderFields);
  return [...new Set(names)].sort((a, b) => order.indexOf(a) - order.indexOf(b));
}
