import { auc } from '../../stats/auc.js';
import { brier } from '../../stats/calibration.js';
import type { Incident } from '../incidents/incident.js';
import type { AttemptOutcome, Prioritizer, PrioritizerMetrics, Ranking, Regime } from '../types.js';
import { incidentFeatures } from './features.js';
import { fitGradientDescent } from './gradient-descent.js';
import { priorOfFeatures } from './heuristic-prior.js';
import { hasBothClasses, type LabelledRow } from './labelled-row.js';
import { type LogisticModel, probability } from './logistic-model.js';
import { rankBy } from './ranking.js';

const MIN_TRAIN = 12;

/**
 * The reference's prioritizer (spec 06 B.8): the prior until it holds 12 labels of both classes, the probability of a
 * significant result afterwards. With primed rows it starts as trained on them.
 */
export class ReferencePrioritizer implements Prioritizer<Incident> {
  private readonly rows: Pick<LabelledRow, 'features' | 'label'>[];
  private readonly minTrain: number;
  private model: LogisticModel | null = null;

  constructor(primed: readonly LabelledRow[] = []) {
    this.rows = [...primed];
    this.minTrain = primed.length === 0 ? MIN_TRAIN : 1;
    this.refit();
  }

  rank(incidents: readonly Incident[]): Ranking<Incident> {
    const { model } = this;
    const score = model === null ? priorOfFeatures : (x: readonly number[]) => probability(model, x);
    const reason =
      model === null
        ? `${this.rows.length} labels, ${this.minTrain} of both classes needed`
        : `trained on ${this.rows.length} labels`;
    return rankBy(incidents, (incident) => score(incidentFeatures(incident)), this.regime(), reason);
  }

  record(outcome: AttemptOutcome<Incident>): void {
    this.rows.push({ features: incidentFeatures(outcome.incident), label: outcome.accepted ? 1 : 0 });
  }

  refit(): void {
    const labels = this.rows.map((row) => row.label);
    if (labels.length < this.minTrain || !hasBothClasses(labels)) return;
    this.model = fitGradientDescent(
      this.rows.map((row) => row.features),
      labels,
    );
  }

  regime(): Regime {
    return this.model === null ? 'heuristic' : 'learned';
  }

  metrics(): PrioritizerMetrics {
    return inSampleMetrics(this.rows, this.model === null ? null : this.probabilities(this.model));
  }

  private probabilities(model: LogisticModel): number[] {
    return this.rows.map((row) => probability(model, row.features));
  }
}

/** Figures on the very rows that were learned from (spec 06 B.8): no evidence of quality. */
export function inSampleMetrics(
  rows: readonly Pick<LabelledRow, 'features' | 'label'>[],
  learned: readonly number[] | null,
): PrioritizerMetrics {
  const labels = rows.map((row) => row.label);
  const heuristic = auc(
    rows.map((row) => priorOfFeatures(row.features)),
    labels,
  );
  const ofLearned = learned === null ? null : auc(learned, labels);
  const brierLearned = learned === null ? null : brier(learned, labels);
  return {
    n: rows.length,
    ...(heuristic === null ? {} : { auc_heuristic: heuristic }),
    ...(ofLearned === null ? {} : { auc_learned: ofLearned }),
    ...(brierLearned === null ? {} : { brier_learned: brierLearned }),
  };
}
