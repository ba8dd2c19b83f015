/**
 * The types that the parts of rx share. Data that crosses a file or process boundary has snake_case keys.
 * The trace event itself lives in `trace/`.
 */

/** A knob's value. */
export type KnobValue = number | boolean | string;

/** The configuration under repair: knob name to value. A `RunConfig` is one. */
export type Config = Readonly<Record<string, KnobValue>>;

/** Configuration of the bundled simulator (06 A.3). */
export type RunConfig = {
  /** Probability in [0, 1]; raise it to cure coordination_failure. */
  readonly planner_consistency: number;
  /** Whole number; 1 or more cures agent_error. */
  readonly navigator_retries: number;
  /** Milliseconds; raise it to cure information_lag. */
  readonly timeout_ms: number;
  /** Probability in [0, 1]; irreducible noise. */
  readonly friction_rate: number;
};

/** How an action computes the new value from the old one. */
export type ActionOp = 'set' | 'add' | 'multiply';

/** One entry of the action catalogue (06 B.3, F.8): clamp, then round; never code. */
export interface ActionSpec {
  readonly action_id: string;
  /** Classifications or pattern ids that the action is meant for. */
  readonly targets: readonly string[];
  readonly knob: string;
  readonly op: ActionOp;
  readonly value: KnobValue;
  readonly min?: number;
  readonly max?: number;
  readonly round_decimals?: number;
  /** Cost in attempts; 1 when absent (06 F.7.5). */
  readonly cost?: number;
  /** For people and for the model: what moves, by how much, the cap. */
  readonly description: string;
}

/** What may be changed, and the configuration that a run starts from. */
export interface Catalogue {
  readonly config: Config;
  readonly actions: readonly ActionSpec[];
}

/** A typed difference on a configuration: one knob, its new value. */
export interface Patch {
  readonly action_id: string;
  readonly knob: string;
  readonly from: KnobValue;
  readonly to: KnobValue;
}

/** What one run (one seed under one configuration) came to: counts of actions. */
export interface Metrics {
  readonly actions: number;
  readonly failures: number;
  /** Failures by classification; `unclassified` included, classes without a failure may be absent. */
  readonly by_class: Readonly<Record<string, number>>;
}

/** What the loop needs to know of an incident; the scorer's own type has more. */
export interface LoopIncident {
  readonly pattern_id: string;
  readonly display_name: string;
  /** `unclassified` when the failures carried none. */
  readonly failure_classification: string;
}

/** A proposed change, not yet checked against configuration and history. */
export interface Proposal {
  readonly action_id: string;
  readonly rationale: string;
  readonly source: 'heuristic' | 'llm';
}

/** How an attempt ended (06 C.6). */
export type Verdict = 'accept' | 'rejected' | 'futile' | 'inert' | 'harmful' | 'invalid';

/** One earlier attempt of the run, as proposers and prioritizers may see it. */
export interface PastAttempt {
  readonly pattern_id: string;
  readonly action_id: string;
  readonly patch: Patch;
  readonly verdict: Verdict;
  /** Mean effect: control minus treatment failure rate, positive is better. */
  readonly effect: number;
}

/** What a proposer may know when it is asked about one incident. */
export interface ProposeContext {
  readonly config: Config;
  readonly actions: readonly ActionSpec[];
  readonly history: readonly PastAttempt[];
}

/** All proposals for one incident, best first; none is a valid answer. */
export type Propose<I extends LoopIncident> = (
  incident: I,
  context: ProposeContext,
) => readonly Proposal[] | Promise<readonly Proposal[]>;

/** Which rule produced a ranking (06 B.8, F.7.5). */
export type Regime = 'heuristic' | 'explore' | 'learned' | 'prior';

export interface RankedIncident<I> {
  readonly incident: I;
  readonly priority: number;
}

export interface Ranking<I> {
  readonly regime: Regime;
  /** Why this regime, in words for the report. */
  readonly reason: string;
  readonly ranked: readonly RankedIncident<I>[];
}

export interface RankContext<I> {
  /** Cost of the cheapest untried action for the incident; 1 by default. */
  readonly costOf: (incident: I) => number;
  /** Attempts that the run has left, this one included. */
  readonly remaining: number;
}

/** What one attempt taught; the prioritizer stores it (06 B.8, F.7.7). */
export interface AttemptOutcome<I> {
  readonly incident: I;
  readonly action_id: string;
  readonly accepted: boolean;
  readonly verdict: Verdict;
  readonly n_pairs: number;
  /** Sum of the per-pair differences in failures, control minus treatment. */
  readonly d_sum: number;
  readonly p_exact: number;
  readonly log_e: number;
  /** Difference of failure rates with its standard error. */
  readonly gain: number;
  readonly gain_se: number | null;
  readonly config: Config;
}

/** Figures that describe the prioritizer's own log, in sample (06 B.8). */
export interface PrioritizerMetrics {
  readonly n: number;
  readonly auc_heuristic?: number;
  readonly auc_learned?: number;
  readonly brier_learned?: number;
}

/** Ranks incidents and learns from outcomes; the loop owns none of its state. */
export interface Prioritizer<I extends LoopIncident> {
  rank(incidents: readonly I[], context: RankContext<I>): Ranking<I>;
  record(outcome: AttemptOutcome<I>): void;
  refit(): void;
  metrics(): PrioritizerMetrics;
  /** Regime that the next ranking would have. */
  regime(): Regime;
}
