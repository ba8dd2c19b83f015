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
};

/** `current.json`: the only pointer (spec 08 §22). */
export type Pointer = {
  readonly version: number;
  readonly sha256: string;
  readonly updated_at: string;
  readonly previous_version: number | null;
  readonly reason: string;
};
