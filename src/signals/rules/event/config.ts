import type { ConfigFields, ConfigValues } from '../../../foreign/config-field.js';

export const eventFields = {
  policy_denied_threshold: {
    type: 'integer',
    default: 3,
    unit: 'events',
    doc: 'Policy denials of one agent from which they are reported.',
  },
  policy_denied_window_s: {
    type: 'number',
    default: 3600,
    unit: 's',
    doc: 'Older denials are no longer counted: an agent that is denied now and then learns; 0 = all.',
  },
  delegated_failure_threshold: {
    type: 'integer',
    default: 2,
    unit: 'events',
    doc: 'Failed results of one family from which they are reported.',
  },
  delegated_failure_prune_threshold: {
    type: 'integer',
    default: 4,
    unit: 'events',
    doc: 'Failed results of one family from which the family should be pruned.',
  },
  delegated_failure_max_age_s: {
    type: 'number',
    default: 5400,
    unit: 's',
    doc: 'A family whose last failure is older is not reported: nobody tries it any more; 0 = always.',
  },
  failure_resets_on_success: {
    type: 'boolean',
    default: true,
    doc: 'Whether a success of a family forgets its earlier failures.',
  },
  recover_lookback_events: {
    type: 'integer',
    default: 50,
    unit: 'events',
    doc: 'Newest bus rows among which the last recover is looked for; 0 = all.',
  },
  idempotency_replay_threshold: {
    type: 'integer',
    default: 2,
    unit: 'distinct keys',
    doc: 'Different idempotency keys for one payload from which they are reported.',
  },
} as const satisfies ConfigFields;

export type EventConfig = ConfigValues<typeof eventFields>;
