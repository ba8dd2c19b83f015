import type { SegmentRow } from '../gate/segments.js';
import type { DiffCounts } from '../prompt/line-diff.js';

/** What is known of a version (spec 08 §4, §22); keys that do not apply are absent. */
export type VersionMeta = {
  readonly version: number;
  /** UTC, seconds. */
  readonly timestamp: string;
  readonly sha256_hash: string;
  readonly parent_version?: number;
  readonly diff_from_previous?: DiffCounts;
  readonly hypothesis?: string;
  readonly edit_id?: string;
  readonly run_id?: string;
  readonly seed?: number;
  readonly epoch?: number;
  readonly alpha?: number;
  readonly wins?: number;
  readonly losses?: number;
  readonly n?: number;
  readonly segments?: readonly SegmentRow[];
  /** The test in the terms of the reference; `effect_size` is the mean difference itself. */
  readonly ab_results?: {
    readonly winner: 'b';
    readonly mean_delta: number;
    readonly p_value: number;
    readonly effect_size: number;
    readonly n_trials: number;
  };
  readonly gate_result?: { readonly decision: string; readonly reason: string };
  /** Failures that the edit rests on. */
  readonly trigger_trace_ids?: readonly string[];
  /** The model that the prompt was measured with. */
  readonly model_version?: string;
  /** Tokens that the edit's measurements took. */
  readonly token_cost?: number;
  readonly changed_section?: string;
};

/** `current.json`: the only pointer (spec 08 §22). */
export type Pointer = {
  readonly version: number;
  readonly sha256: string;
  readonly updated_at: string;
  readonly previous_version: number | null;
  readonly reason: string;
};
