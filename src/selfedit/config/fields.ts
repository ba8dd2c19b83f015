import type { ConfigFields, ConfigValues } from '../../foreign/config-field.js';

const share = { type: 'number', unit: 'ratio', maximum: 1 } as const;
const count = { type: 'integer', unit: 'count' } as const;

/** Settings of the section `selfedit` that are plain values (spec 08 §22). */
export const selfeditFields = {
  enabled: { type: 'boolean', default: false, doc: 'Whether promoted prompts are used and traces written.' },
  alpha_epoch: {
    ...share,
    exclusiveMinimum: 0,
    maximum: 0.5,
    default: 0.1,
    doc: 'Chance of any false promotion in an epoch.',
  },
  confirmations_per_epoch: { ...count, minimum: 1, maximum: 100, default: 5, doc: 'Tests of an epoch, K.' },
  early_alpha_share: {
    ...share,
    exclusiveMinimum: 0,
    maximum: 0.9,
    default: 0.2,
    doc: "Share of a test's level that may be used before its last look.",
  },
  sample_floor: { ...count, minimum: 1, default: 20, doc: 'Pairs before the first look.' },
  look_every: { ...count, minimum: 1, default: 10, doc: 'Pairs between two looks.' },
  min_effect_abs: { ...share, default: 0.02, doc: 'Smallest net share of wins worth a promotion.' },
  futility_after: { ...count, default: 60, doc: 'Pairs from which on a test without net wins ends.' },
  harm_evalue: {
    type: 'number',
    unit: 'e-value',
    minimum: 1,
    default: 20,
    doc: 'Evidence of harm at which a test ends.',
  },
  confirm_min: { ...count, minimum: 1, default: 120, doc: 'Confirm cases without which no test begins.' },
  confirm_target: { ...count, minimum: 1, default: 180, doc: 'Confirm cases used by a test, at most.' },
  screen_min_net_share: {
    ...share,
    default: 0.03,
    doc: 'Net share of dev cases an edit must win (at least 2).',
  },
  max_error_share: { ...share, default: 0.1, doc: 'Share of failed pairs beyond which a test is invalid.' },
  segment_max_net_loss: {
    ...count,
    minimum: 1,
    default: 2,
    doc: 'Net losses in one segment that can block.',
  },
  segment_harm_p: { ...share, default: 0.25, doc: 'Sign p of those losses at or below which they block.' },
  critical_segments: {
    type: 'string_list',
    default: ['resource_leak', 'crash_loop'],
    doc: 'Segments in which any net loss blocks.',
  },
  parallelism: { ...count, minimum: 1, maximum: 64, default: 4, doc: 'Calls that run side by side.' },
  max_edit_lines: { ...count, minimum: 1, default: 20, doc: 'Lines an edit may change.' },
  max_edit_token_share: {
    ...share,
    default: 0.25,
    doc: 'Tokens an edit may change, by the length of its base.',
  },
  max_growth_tokens_per_edit: { ...share, default: 0.15, doc: 'Growth of the prompt by one edit.' },
  max_growth_tokens_total: {
    type: 'number',
    unit: 'ratio',
    default: 0.6,
    doc: 'Growth of the prompt since version 1.',
  },
  drift_method: { type: 'string', default: 'ngram', doc: 'How drift is measured: ngram or embedding.' },
  drift_max: { ...share, default: 0.35, doc: 'Drift from version 1, at most.' },
  proposals_per_batch: {
    ...count,
    minimum: 1,
    maximum: 20,
    default: 3,
    doc: 'Edits proposed per iteration.',
  },
  batch_size: {
    ...count,
    minimum: 1,
    maximum: 1000,
    default: 50,
    doc: 'Failures shown to the analyzer at once.',
  },
  trigger: { type: 'string', default: 'manual', doc: 'When a run may begin: manual, time or batch.' },
  interval_h: {
    type: 'number',
    unit: 'h',
    exclusiveMinimum: 0,
    default: 24,
    doc: 'Least time between two runs.',
  },
  budget_usd_run: { type: 'number', unit: 'USD', default: 1, doc: 'What one run may spend.' },
  budget_usd_day: { type: 'number', unit: 'USD', default: 5, doc: 'What all runs of 24 hours may spend.' },
  budget_h_run: {
    type: 'number',
    unit: 'h',
    exclusiveMinimum: 0,
    default: 12,
    doc: 'How long a run may take whose models cost nothing.',
  },
  allow_unpriced: {
    type: 'boolean',
    default: false,
    doc: 'Whether a model without a known price may be asked.',
  },
  retention_days: { type: 'number', unit: 'days', default: 90, doc: 'Age at which traces are deleted.' },
  shadow_min: { ...count, default: 30, doc: 'Labelled live outcomes without which nothing is rolled back.' },
  live_harm_evalue: {
    type: 'number',
    unit: 'e-value',
    minimum: 1,
    default: 20,
    doc: 'Evidence of harm in live outcomes at which a promotion is taken back.',
  },
  live_margin: { ...share, default: 0.03, doc: 'How much worse than before live outcomes may be.' },
} as const satisfies ConfigFields;

type PlainConfig = ConfigValues<typeof selfeditFields>;

/** US dollars per million tokens. */
export type ModelPrice = { readonly in: number; readonly out: number };

/** What one of the roles does differently from the `llm` settings. */
export type RoleConfig = {
  readonly model?: string;
  readonly temperature?: number;
  readonly max_output_tokens?: number;
  /** Declares that equal questions get equal answers: answers are then used again. */
  readonly deterministic?: boolean;
};

/** The whole section `selfedit`. */
export type SelfeditConfig = PlainConfig & {
  /** Calls per case and side. */
  readonly replicates: { readonly deterministic: number; readonly sampled: number };
  /** By model name. */
  readonly prices: Readonly<Record<string, ModelPrice>>;
  readonly roles: {
    readonly executor: RoleConfig;
    readonly analyzer: RoleConfig;
    /** Rates prose for reports; never decides. */
    readonly judge: RoleConfig;
    /** The model of `drift_method` embedding. */
    readonly embedding: Pick<RoleConfig, 'model'>;
  };
};
