import type { Trend } from './trend.js';

/** How far a frequency can be trusted: high from 4 occurrences on, medium from 2, else low (spec 06 B.2). */
export type ConfidenceLabel = 'high' | 'medium' | 'low';

/** A group of failures with one agent, tool, classification and set of stale beliefs, scored (spec 06 B.1, B.2). */
export interface Incident {
  /** Readable, not unique: names may contain the separators (spec 06 E.17). */
  readonly pattern_id: string;
  /** First 12 hex digits of the SHA-256 of the exact key. Two incidents never share it. */
  readonly key_hash: string;
  readonly display_name: string;
  readonly agent_id: string;
  readonly tool_name: string;
  /** `unclassified` when the failures carry none. */
  readonly failure_classification: string;
  readonly divergence_fields: readonly string[];
  /** Number of failures. */
  readonly frequency: number;
  /** 0 to 10. */
  readonly frequency_score: number;
  /** 0 to 15. */
  readonly severity_score: number;
  /** 0 to 1: share of the failures followed by a success within the recovery window. */
  readonly recovery_rate: number;
  /** Turns; null when nothing recovered. */
  readonly median_recovery_latency: number | null;
  /** Recovered failures whose action did not succeed itself, by latency: entry 0 one turn, 1 two, 2 three. */
  readonly recovered_failed_by_offset: readonly number[];
  /** 0.4 × frequency_score + 0.6 × severity_score, 13 at most. */
  readonly final_score: number;
  /** 0 to 1. */
  readonly confidence: number;
  readonly confidence_label: ConfidenceLabel;
  readonly runs_seen_in: number;
  readonly runs_total: number;
  /** Failures without a success in the next 10 turns. */
  readonly unrecovered_tail_count: number;
  readonly trend: Trend;
}
