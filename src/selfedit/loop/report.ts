import type { ConfirmationVerdict, Look } from '../gate/confirmation.js';
import type { SegmentRow } from '../gate/segments.js';
import type { Check } from '../guards/check.js';
import type { StageCost } from '../store/run-store.js';
import type { EpochCost } from './epoch-cost.js';

/** Wins and losses of one side by side measurement. */
export type Tally = { readonly wins: number; readonly losses: number; readonly n: number };

/** How an edit ended (spec 08 §24.2). */
export type Verdict =
  | `blocked_${string}`
  | 'screened_out'
  | Exclude<ConfirmationVerdict, 'stat_pass'>
  | 'segment_regression'
  | 'sentinel_regression'
  | 'promote'
  | 'underpowered'
  | 'infeasible'
  | 'epoch_closed'
  | 'stale_base';

export type Decision = 'promote' | 'near_miss' | 'reject';

/** What kind of result it is, for people (spec 08 §18, §22). */
export type ResultClass =
  | 'promoted'
  | 'null'
  | 'net-zero'
  | 'weak positive'
  | 'harmful'
  | 'blocked'
  | 'invalid';

/** Means of one side of a confirmation, per answer; failed calls count with what they cost. */
export type SideUsage = {
  readonly tokens: number;
  readonly usd: number;
  readonly latency_ms: number;
  /** Answers that broke the output contract. */
  readonly violations: number;
};

/** What the sentinels said (spec 08 §24.6). */
export type SentinelReport = {
  readonly sentinels: number;
  readonly lost: readonly string[];
  /** Failed once and passed again: noise. */
  readonly flickered: readonly string[];
  /** Gave no answer. */
  readonly unknown: readonly string[];
};

/** A confirmation in figures. */
export type ConfirmReport = Tally & {
  readonly alpha: number;
  readonly epoch: number;
  readonly planned: number;
  readonly power: number;
  readonly verdict: ConfirmationVerdict;
  readonly p_sign: number;
  readonly log_e: number;
  readonly mean_delta: number;
  /** Percentile bootstrap, 95 %; reported, never decides. */
  readonly low: number | null;
  readonly high: number | null;
  readonly error_share: number;
  readonly looks: readonly Look[];
  /** Old and new prompt; reported, never decides. */
  readonly usage: { readonly before: SideUsage; readonly after: SideUsage };
};

export type EditReport = {
  readonly edit_id: string;
  readonly label: string | null;
  readonly iteration: number;
  readonly intent: string;
  readonly segment: string;
  readonly hypothesis: string;
  readonly stage: 'static' | 'screen' | 'confirm' | 'guard' | 'promote';
  readonly decision: Decision;
  readonly verdict: Verdict;
  readonly reason: string;
  readonly class: ResultClass;
  readonly screen: Tally | null;
  readonly confirm: ConfirmReport | null;
  readonly segments: readonly SegmentRow[];
  readonly sentinels: SentinelReport | null;
  readonly checks: readonly Check[];
  readonly version: number | null;
  /** Calls and US dollars, stage by stage. */
  readonly costs: readonly StageCost[];
};

/** How the prompt did on the dev cases before any edit. */
export type Baseline = {
  readonly version: number;
  readonly passed: number;
  readonly n: number;
  readonly segments: readonly { readonly segment: string; readonly passed: number; readonly n: number }[];
};

/** How a run ended. */
export type RunStatus = 'done' | 'stopped_budget' | 'stopped_time' | 'stopped_provider' | 'frozen';

/** Everything about a run, as `report.json` has it. */
export type RunReport = {
  readonly run_id: string;
  readonly prompt_id: string;
  readonly seed: number;
  readonly status: RunStatus;
  /** Why it stopped, when it did. */
  readonly stopped: string | null;
  readonly epoch: number;
  readonly cases: { readonly dev: number; readonly confirm: number; readonly audit: number };
  readonly start_version: number;
  readonly end_version: number;
  /** Null: nothing was measured. */
  readonly baseline: Baseline | null;
  readonly iterations: number;
  readonly edits: readonly EditReport[];
  readonly calls: number;
  readonly audit_calls: number;
  readonly usd: number;
  readonly usd_by_role: Readonly<Record<string, number>>;
  readonly estimated: boolean;
  readonly epoch_cost: EpochCost;
  readonly audit: AuditReport | null;
  readonly notes: readonly string[];
};

/** The honest accuracy, measured only after a promotion (spec 08 §24.9). */
export type AuditReport = {
  readonly before: number;
  readonly after: number;
  readonly n: number;
  /** Old against new: p that the old one is no better. */
  readonly p_old_better: number;
  readonly confirm_accuracy: number | null;
  readonly oracle_drift: boolean;
  /** Cases that a human labelled, and how both prompts did on them; part of the audit set must be such (spec 08 §24.9). */
  readonly human: { readonly n: number; readonly before: number; readonly after: number };
  /** What the judge says of the prose; never decides. Null without one. */
  readonly judge: JudgeReport | null;
};

/** Mean ratings, 0 to 1, over the cases of which both answers were rated. */
export type JudgeReport = {
  readonly model: string;
  readonly before: number;
  readonly after: number;
  readonly n: number;
  /** Answers without a usable rating. */
  readonly unrated: number;
};
