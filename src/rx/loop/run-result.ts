import type { GuardedClass } from '../../stats/regression-guard.js';
import type { AaCheck } from '../experiment/aa-check.js';
import type { Config, Patch, PrioritizerMetrics, Regime, Verdict } from '../types.js';

/** How an attempt is decided: our paired gate (06 F.3) or the reference's z-test (06 B.9). */
export type GateKind = 'paired' | 'z';

/** How the bundled simulator draws its luck (06 F.1); `external` when the system brings its own. */
export type StreamKind = 'independent' | 'reference' | 'external';

/** Two arms in counts of actions, with the reference's figures on them (06 B.9). */
export interface Comparison {
  readonly control_failures: number;
  readonly control_total: number;
  readonly treatment_failures: number;
  readonly treatment_total: number;
  readonly control_rate: number;
  readonly treatment_rate: number;
  readonly abs_delta: number;
  readonly rel_delta: number;
  readonly z: number;
  readonly p_value: number;
  readonly significant: boolean;
  readonly tentative: boolean;
}

/** What a paired experiment adds; null for an attempt of the z gate. */
export interface PairedFigures {
  /** Level of this attempt (06 F.4). */
  readonly alpha_k: number;
  /** Pairs at which the statistical decision fell. */
  readonly n_decision: number;
  /** Pairs used in all, those for the guard included; the counts are theirs. */
  readonly n_pairs: number;
  readonly n_dropped: number;
  /** Exact one-sided p at the decision; 1 when there was none. */
  readonly p_exact: number;
  readonly log_e: number;
  /** Mean reduction of the failure rate over the pairs used, positive is better, with its 95 % interval. */
  readonly effect: number;
  readonly effect_low: number | null;
  readonly effect_high: number | null;
  /** Standard error of the effect; null with fewer than two pairs. */
  readonly effect_se: number | null;
  /** Percentile bootstrap interval where the t interval is doubtful: fewer than 20 pairs, or skewed differences. */
  readonly effect_bootstrap: { readonly low: number; readonly high: number } | null;
  readonly guard: readonly GuardedClass[];
  /** Share of the gain that falls into the targeted class; null when there is no gain (06 F.7.8). */
  readonly attribution: number | null;
  /** ln E after each pair up to the decision, for the report's picture. */
  readonly log_e_path: readonly number[];
}

/** One attempt of the loop (06 C.1, C.6). */
export interface Iteration extends Comparison {
  readonly index: number;
  /** Display name of the incident. */
  readonly incident: string;
  readonly pattern_id: string;
  readonly classification: string;
  readonly action_id: string;
  readonly patch: Patch;
  readonly rationale: string;
  readonly regime: Regime;
  readonly source: 'heuristic' | 'llm';
  readonly verdict: Verdict;
  readonly accepted: boolean;
  /** Why, in one sentence. */
  readonly reason: string;
  /**
   * The simulator's own table names this knob for this class: true by construction for the heuristic proposer. Null where
   * no such table exists.
   */
  readonly ground_truth_correct: boolean | null;
  /** z gate: as `ground_truth_correct`; paired: at least half of the gain is in the targeted class, guard passed. */
  readonly right_lever: boolean;
  readonly paired: PairedFigures | null;
}

/** The headline on seeds that decided nothing (06 F.4). */
export interface Confirmation {
  readonly control_failures: number;
  readonly treatment_failures: number;
  readonly total: number;
  readonly treatment_total: number;
  readonly effect: number;
  readonly effect_low: number | null;
  readonly effect_high: number | null;
  readonly n_pairs: number;
  readonly n_dropped: number;
}

/** Why the loop ended. */
export type LoopEnd = 'max_iters' | 'no_incidents' | 'converged';

/** A whole run of the loop. */
export interface RunResult {
  readonly gate: GateKind;
  readonly streams: StreamKind;
  /** First evaluation seed. */
  readonly seed: number;
  readonly alpha: number;
  readonly max_iters: number;
  /** n_max of an attempt, or the runs per arm of the z gate. */
  readonly max_pairs: number;
  /** The headline; null when it was not measured. */
  readonly overall: Comparison | null;
  readonly accepted: readonly string[];
  /** Accepted attempts with the right lever / accepted; 0 if none. */
  readonly precision: number;
  readonly baseline_config: Config;
  readonly final_config: Config;
  readonly iterations: readonly Iteration[];
  readonly prioritizer_metrics: PrioritizerMetrics;
  readonly final_regime: Regime;
  readonly confirmation: Confirmation | null;
  /** Control against control, before anything else; null for the simulator. */
  readonly aa: AaCheck | null;
  readonly end: LoopEnd;
  /** What a reader must know and no other field says. */
  readonly notes: readonly string[];
}
