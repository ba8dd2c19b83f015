import type { ConfidenceLevel } from './confidence.js';
import type { ErrorType } from './error-type.js';

/** What a person or a finding asks about (spec 07 A2). */
export type IssueContext = {
  readonly description: string;
  readonly service_name: string | null;
  readonly trace_id: string | null;
  readonly time_window_minutes: number;
};

export type Claim = {
  readonly text: string;
  readonly receipt_ids: readonly string[];
  readonly quote: string | null;
  readonly verified: boolean;
};

export type RootCause = {
  readonly description: string;
  readonly file_path: string | null;
  readonly line_number: number | null;
  /** 0 to 1. */
  readonly confidence: number;
  readonly confidence_level: ConfidenceLevel;
  /** Texts of the verified claims. */
  readonly evidence: readonly string[];
  readonly error_type: ErrorType;
  readonly service: string | null;
  readonly subject: string | null;
  readonly claims: readonly Claim[];
  readonly fingerprints: readonly string[];
};

export type InvestigationStep = {
  readonly round: number;
  readonly tool: string;
  readonly result_summary: string;
  readonly confidence_after: number;
};

export type Alternative = {
  readonly error_type: ErrorType;
  readonly subject: string | null;
  readonly score: number;
};

export type Propagation = {
  readonly source: string;
  readonly target: string;
  readonly condition: string;
  readonly effect: string;
  readonly receipt_ids: readonly string[];
};

export type BudgetReport = {
  readonly model_requests: number;
  readonly tool_calls: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly wall_s: number;
  /** The limit that ended the search, or {@link CANCELLED}. */
  readonly exhausted: string | null;
};

/** Marks the result of a run that was cancelled. */
export const CANCELLED = 'cancelled';

/** The stored answer of an investigation (spec 07 A2, B3). */
export type HealResult = {
  readonly investigation_id: string;
  readonly mode: 'llm' | 'deterministic';
  readonly issue_summary: string;
  readonly investigation_steps: readonly InvestigationStep[];
  readonly root_cause: RootCause;
  readonly recommended_fix: string;
  readonly fix_code_snippet: string | null;
  readonly action_taken: 'explained' | 'fast_path' | 'sandbox_enriched';
  readonly tools_used: readonly string[];
  readonly tools_unavailable: readonly string[];
  readonly confidence_note: string | null;
  readonly alternatives: readonly Alternative[];
  readonly propagation: readonly Propagation[];
  readonly supported_band: ConfidenceLevel;
  readonly claimed_confidence: number;
  readonly evidence_classes: readonly string[];
  readonly time_window: { readonly start_unix: number; readonly end_unix: number };
  readonly budget: BudgetReport;
  readonly warnings: readonly string[];
};

/** True for what a cancelled run had found by then; nothing counts it as an answer. */
export function isCancelledResult({ budget }: Pick<HealResult, 'budget'>): boolean {
  return budget.exhausted === CANCELLED;
}
