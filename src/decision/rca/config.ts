import type { ConfigFields, ConfigValues } from '../../foreign/config-field.js';

/** Root-cause texts by a model (spec 05 B.1, 01 §9.4). */
export const rcaFields = {
  llm_rca_enabled: {
    type: 'boolean',
    nullable: true,
    default: null,
    doc: 'null: on when credentials are usable; false: off; true: as null, with a warning when they are missing.',
  },
  llm_rca_severity_min: {
    type: 'string',
    default: 'high',
    doc: 'Lowest severity that is explained: low, info or observe; medium, warn or warning; anything else is high.',
  },
  llm_rca_cooldown_s: {
    type: 'number',
    default: 60,
    unit: 's',
    doc: 'Between two calls for the same symptom.',
  },
  llm_rca_max_calls_per_tick: {
    type: 'integer',
    default: 1,
    unit: 'count',
    doc: 'Symptoms explained in one tick.',
  },
  llm_rca_timeout_s: {
    type: 'number',
    default: 8,
    unit: 's',
    exclusiveMinimum: 0,
    doc: 'Longest wait for one request; rca_budget_s and the deadline of the tick bound it further.',
  },
  llm_rca_max_chars: {
    type: 'integer',
    default: 1500,
    unit: 'characters',
    minimum: 3,
    doc: 'Longest root-cause text.',
  },
  rca_budget_s: {
    type: 'number',
    default: 6,
    unit: 's',
    doc: 'All calls of a tick together; none starts with less than 1 s left before the deadline of the tick.',
  },
  llm_model: {
    type: 'string',
    default: '',
    doc: 'Model to ask; empty: the one that the environment names, else the default of the provider.',
  },
  llm_base_url: {
    type: 'string',
    default: '',
    doc: 'Address of the endpoint, used together with llm_api_key; empty: found in the environment.',
  },
  llm_api_key: {
    type: 'string',
    default: '',
    doc: 'Key for llm_base_url; empty: found in the environment, which is the better place for it.',
  },
  llm_provider: {
    type: 'string',
    default: '',
    doc: 'Protocol of llm_base_url: openai (also when empty) or anthropic.',
  },
} as const satisfies ConfigFields;

export type RcaConfig = ConfigValues<typeof rcaFields>;
