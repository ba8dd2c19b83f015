import { auc } from '../../stats/auc.js';
import { brier } from '../../stats/calibration.js';
import { aucDifference, evaluateScorers, type Figure, type ScorerEvaluation } from './evaluation.js';
import { fitGradientDescent } from './gradient-descent.js';
import { type Split, splitByGroup, splitByRow } from './groups.js';
import { priorOfFeatures, priorWithoutEnvironment } from './heuristic-prior.js';
import { fitIrls } from './irls.js';
import { featuresOf, hasBothClasses, type LabelledRow, labelsOf } from './labelled-row.js';
import { type LogisticModel, probability } from './logistic-model.js';
import { successProbability, type TrainedModel, trainModel } from './trained-model.js';

/** What the reference reports of its training (spec 06 C.3); null where a class is missing. */
export interface ReferenceTraining {
  readonly n: number;
  readonly n_train: number;
  readonly n_test: number;
  readonly positives: number;
  readonly positive_rate: number;
  readonly auc_learned: number | null;
  readonly auc_heuristic: number | null;
  readonly brier_learned: number | null;
  readonly brier_base_rate: number | null;
}

/** The reference's evaluation: split by row, gradient descent. */
export function trainReference(
  rows: readonly LabelledRow[],
  testFraction: number,
  seed: number,
): ReferenceTraining {
  const { train, test } = partition(rows, splitByRow(rows.length, testFraction, seed));
  const model = fitGradientDescent(featuresOf(train), labelsOf(train));
  const labels = labelsOf(test);
  const learned = test.map((row) => probability(model, row.features));
  const positives = labelsOf(rows).filter((label) => label === 1).length;
  const baseRate = positiveRate(train);
  return {
    n: rows.length,
    n_train: train.length,
    n_test: test.length,
    positives,
    positive_rate: positives / rows.length,
    auc_learned: auc(learned, labels),
    auc_heuristic: auc(
      test.map((row) => priorOfFeatures(row.features)),
      labels,
    ),
    brier_learned: brier(learned, labels),
    brier_base_rate: brier(
      test.map(() => baseRate),
      labels,
    ),
  };
}

/** The model that the reference's pretrained loop starts with: fitted on every row (spec 06 C.3). */
export function primeReference(rows: readonly LabelledRow[]): LogisticModel {
  return fitGradientDescent(featuresOf(rows), labelsOf(rows));
}

/** An honest evaluation on unseen episodes, and the model fitted on all rows. */
export interface Training {
  readonly n: number;
  readonly n_train: number;
  readonly n_test: number;
  readonly groups_train: number;
  readonly groups_test: number;
  readonly positives: number;
  readonly positive_rate: number;
  /** λ of the evaluated model. */
  readonly l2: number;
  /** Learned, calibrated, heuristic, heuristic without environment constraints, base rate; all on the test part. */
  readonly scorers: readonly ScorerEvaluation[];
  /** AUC of the learned model minus that of the stronger baseline. */
  readonly auc_gain: Figure;
  /** Null when a class is missing in all rows. */
  readonly model: TrainedModel | null;
}

export interface TrainOptions {
  readonly test_fraction: number;
  /** Of the split, the folds and the resampling. */
  readonly seed: number;
  readonly resamples?: number;
}

const EVALUATED_L2 = 1;

/**
 * Splits by episode, fits on one part, evaluates on the other beside the baselines, then fits the model to keep on all
 * rows (spec 06 F.7.1–F.7.4). The evaluated model has λ = 1; calibration is that of the training part.
 */
export function trainHonest(rows: readonly LabelledRow[], options: TrainOptions): Training {
  const groups = rows.map((row) => row.group);
  const { train, test } = partition(rows, splitByGroup(groups, options.test_fraction, options.seed));
  const labels = labelsOf(test);
  const testGroups = test.map((row) => row.group);
  const baseRate = positiveRate(train);
  const fitted = hasBothClasses(labelsOf(train))
    ? fitIrls(featuresOf(train), labelsOf(train), EVALUATED_L2).model
    : null;
  const calibrated = trainModel(train, options.seed);
  const score = (scorer: (features: readonly number[]) => number) => test.map((row) => scorer(row.features));
  const learned = score((x) => (fitted === null ? baseRate : probability(fitted, x)));
  const strong = score(priorWithoutEnvironment);
  const scorers = [
    { name: 'learned', scores: learned },
    {
      name: 'learned, calibrated',
      scores: score((x) => (calibrated === null ? baseRate : successProbability(calibrated, x))),
    },
    { name: 'heuristic', scores: score(priorOfFeatures) },
    { name: 'heuristic, environment 0', scores: strong },
    { name: 'base rate', scores: score(() => baseRate) },
  ];
  const positives = labelsOf(rows).filter((label) => label === 1).length;
  return {
    n: rows.length,
    n_train: train.length,
    n_test: test.length,
    groups_train: new Set(train.map((row) => row.group)).size,
    groups_test: new Set(testGroups).size,
    positives,
    positive_rate: rows.length === 0 ? 0 : positives / rows.length,
    l2: EVALUATED_L2,
    scorers: evaluateScorers(scorers, labels, testGroups, options),
    auc_gain: aucDifference(learned, strong, labels, testGroups, options),
    model: trainModel(rows, options.seed),
  };
}

/** Smoothed share of positives, which is all that can be said when a class is missing (spec 06 F.7.1). */
function positiveRate(rows: readonly LabelledRow[]): number {
  const positives = labelsOf(rows).filter((label) => label === 1).length;
  return hasBothClasses(labelsOf(rows)) ? positives / rows.length : (positives + 1) / (rows.length + 2);
}

function partition(
  rows: readonly LabelledRow[],
  split: Split,
): { train: LabelledRow[]; test: LabelledRow[] } {
  const pick = (indices: readonly number[]) => indices.flatMap((i) => rows[i] ?? []);
  return { train: pick(split.train), test: pick(split.test) };
}
