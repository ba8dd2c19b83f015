import type { ConfigFields, ConfigValues } from '../../foreign/config-field.js';
import { SKIPPED_SYMPTOMS } from '../skipped-symptoms.js';

/** What a tick leaves for an investigation (spec 07 B1, B17). */
export const spoolFields = {
  investigate_mode: {
    type: 'string',
    choices: ['spool', 'inline', 'off'],
    default: 'spool',
    doc: 'spool: a HIGH fault leaves a job for `investigate --watch` or `serve`; inline, for development: `tick` also works it off before it ends, and leaves it where time is short; off: no job.',
  },
  investigate_inline_budget_s: {
    type: 'number',
    unit: 's',
    maximum: 60,
    default: 8,
    clamped: true,
    doc: 'What inline may take; never beyond the deadline of the tick.',
  },
  investigate_cooldown_s: {
    type: 'number',
    default: 900,
    unit: 's',
    maximum: 86_400,
    clamped: true,
    doc: 'A fault is not investigated again within this time.',
  },
  investigate_queue_max: {
    type: 'integer',
    default: 8,
    unit: 'jobs',
    minimum: 1,
    maximum: 1000,
    clamped: true,
    doc: 'Jobs that may wait; beyond that new ones are dropped and counted, because the first failures are worth most.',
  },
  investigate_skip_symptoms: {
    type: 'string_list',
    default: SKIPPED_SYMPTOMS,
    doc: 'Symptoms that are planning news and not investigated.',
  },
} as const satisfies ConfigFields;

export type SpoolConfig = ConfigValues<typeof spoolFields>;
