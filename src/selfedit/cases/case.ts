import type { JsonObject } from '../../foreign/json.js';

/** The prompts that can be improved (spec 08 §21). */
export const PROMPT_IDS = ['rca', 'investigate', 'rx_proposer'] as const;

export type PromptId = (typeof PROMPT_IDS)[number];

/** What a case may be used for. */
export type Split = 'dev' | 'confirm' | 'audit';

/** A task with a known answer (spec 08 §21). */
export type Case = {
  readonly case_id: string;
  readonly prompt_id: string;
  /** The incident, or generator root and seed; near-duplicates share it. */
  readonly group_id: string;
  /** The expected class unless said otherwise. */
  readonly segment: string;
  readonly weight: number;
  readonly input: { readonly findings: readonly JsonObject[]; readonly context: JsonObject };
  readonly expected: {
    readonly class: string;
    readonly also_ok: readonly string[];
    readonly action_id?: string;
    /** Evidence keys of which one value must appear. */
    readonly must_cite: readonly string[];
    readonly insufficient: boolean;
  };
  readonly source: 'generated' | 'recorded' | 'human';
  readonly labelled_by: string;
  readonly created_at: string;
  /** Of the input. */
  readonly sha256: string;
};
