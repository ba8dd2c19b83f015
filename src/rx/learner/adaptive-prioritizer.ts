import type { Incident } from '../incidents/incident.js';
import { plural } from '../report/format.js';
import type {
  AttemptOutcome,
  Prioritizer,
  PrioritizerMetrics,
  RankContext,
  Ranking,
  Regime,
} from '../types.js';
import { type Explorer, fitExplorer } from './explorer.js';
import { incidentFeatures, TRACE_FEATURE_SCHEMA } from './features.js';
import { priorOfFeatures } from './heuristic-prior.js';
import { hasBothClasses } from './labelled-row.js';
import { type OutcomeRow, outcomeRow } from './outcome-row.js';
import { orderWithinBudget, rankBy } from './ranking.js';
import { inSampleMetrics } from './reference-prioritizer.js';
import { expectedValue, successProbability, type TrainedModel, trainModel } from './trained-model.js';

/** From so many outcomes on the exploring rule replaces the prior (spec 06 F.7.5). */
const EXPLORE_OUTCOMES = 12;
/** From so many on, both classes among them, the loop fits a model of its own. */
const REFIT_OUTCOMES = 60;

export interface AdaptiveOptions {
  /** Earlier outcomes, of any feature schema. */
  readonly outcomes?: readonly OutcomeRow[];
  /** A model that `rx train` wrote. */
  readonly model?: TrainedModel | null;
  /** Why there is no model, when one was expected: shown with the ranking. */
  readonly model_problem?: string;
  readonly session_id?: string;
  /** Called with every outcome, to remember it. */
  readonly onOutcome?: (row: OutcomeRow) => void;
  /** Seconds since the epoch. */
  readonly now: () => number;
}

/**
 * Ranks by what is known (spec 06 F.7.5, F.7.6): the prior below 12 outcomes; then estimated gain with a bonus for what was
 * seldom tried; with a model, probability × gain and the same bonus.
 */
export class AdaptivePrioritizer implements Prioritizer<Incident> {
  private readonly outcomes: OutcomeRow[];
  private explorer: Explorer;
  private model: TrainedModel | null;

  constructor(private readonly options: AdaptiveOptions) {
    this.outcomes = (options.outcomes ?? []).filter(
      (row) => row.feature_schema_version === TRACE_FEATURE_SCHEMA,
    );
    this.model = options.model ?? null;
    this.explorer = this.fitExplorer();
  }

  rank(incidents: readonly Incident[], context: RankContext<Incident>): Ranking<Incident> {
    const regime = this.regime();
    const ranking = rankBy(
      incidents,
      (one) => this.score(incidentFeatures(one), regime),
      regime,
      this.reason(regime),
    );
    if (regime !== 'learned') return ranking;
    return { ...ranking, ranked: orderWithinBudget(ranking.ranked, context.costOf, context.remaining) };
  }

  record(outcome: AttemptOutcome<Incident>): void {
    const row = outcomeRow(outcome, this.options.session_id ?? '', this.options.now());
    this.outcomes.push(row);
    this.options.onOutcome?.(row);
  }

  refit(): void {
    this.explorer = this.fitExplorer();
    if (this.outcomes.length < REFIT_OUTCOMES) return;
    const rows = this.outcomes.map((row) => ({ ...row, group: `${row.source}:${row.session_id}` }));
    if (hasBothClasses(rows.map((row) => row.label))) this.model = trainModel(rows, 0) ?? this.model;
  }

  regime(): Regime {
    if (this.model !== null) return 'learned';
    return this.outcomes.length >= EXPLORE_OUTCOMES ? 'explore' : 'heuristic';
  }

  metrics(): PrioritizerMetrics {
    const { model } = this;
    const learned =
      model === null ? null : this.outcomes.map((row) => successProbability(model, row.features));
    return inSampleMetrics(this.outcomes, learned);
  }

  private score(features: readonly number[], regime: Regime): number {
    if (regime === 'learned' && this.model !== null) {
      return expectedValue(this.model, features) + this.explorer.bonus(features);
    }
    return regime === 'explore' ? this.explorer.score(features) : priorOfFeatures(features);
  }

  private reason(regime: Regime): string {
    const known = plural(this.outcomes.length, 'known outcome');
    const problem = this.options.model_problem === undefined ? '' : `; ${this.options.model_problem}`;
    if (regime === 'learned') return `model of ${this.model?.rows ?? 0} labelled rows, ${known}`;
    if (regime === 'explore') return `${known}, no model${problem}`;
    return `${known}, ${EXPLORE_OUTCOMES} needed to learn from them${problem}`;
  }

  private fitExplorer(): Explorer {
    return fitExplorer(
      this.outcomes.flatMap(({ features, gain }) => (gain === null ? [] : [{ features, gain }])),
    );
  }
}
