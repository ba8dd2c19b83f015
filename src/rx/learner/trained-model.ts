import { logLoss } from '../../stats/calibration.js';
import { type Calibrator, calibrate, fitCalibrator } from './calibrator.js';
import { groupedFolds } from './groups.js';
import { fitIrls } from './irls.js';
import { featuresOf, hasBothClasses, type LabelledRow, labelsOf } from './labelled-row.js';
import { type LogisticModel, logOdds } from './logistic-model.js';
import { fitRidge, type GainModel, predictGain } from './ridge.js';

const FOLDS = 5;
const L2_CHOICES = [0.01, 0.1, 1, 10] as const;
const DEFAULT_L2 = 1;
const L2_SEARCH_ROWS = 60;
const GAIN_L2 = 1;

/** Everything that ranking by expected value needs (spec 06 F.7.1, F.7.4, F.7.5). */
export interface TrainedModel {
  readonly logistic: LogisticModel;
  readonly calibrator: Calibrator;
  /** Null when no row had a measured gain. */
  readonly gain: GainModel | null;
  readonly rows: number;
  readonly positives: number;
}

/** Probabilities of rows that the model which gave them had not seen. */
export interface OutOfFold {
  readonly log_odds: readonly number[];
  readonly labels: readonly number[];
}

/**
 * Fits the model: λ by grouped cross-validation, calibration on out-of-fold scores, gain by ridge regression.
 *
 * @returns null when a class is missing; then only the base rate can be said
 */
export function trainModel(rows: readonly LabelledRow[], seed: number): TrainedModel | null {
  const labels = labelsOf(rows);
  if (!hasBothClasses(labels)) return null;
  const l2 = chooseL2(rows, seed);
  const logistic = fitIrls(featuresOf(rows), labels, l2).model;
  const held = outOfFold(rows, l2, seed);
  const measured = rows.filter((row): row is LabelledRow & { gain: number } => row.gain !== null);
  const gains = measured.map((row) => row.gain);
  return {
    logistic,
    calibrator: fitCalibrator(held.log_odds, held.labels),
    gain:
      measured.length === 0 ? null : fitRidge(featuresOf(measured), gains, logistic.standardiser, GAIN_L2),
    rows: rows.length,
    positives: labels.filter((label) => label === 1).length,
  };
}

/** Calibrated probability of success. */
export function successProbability(model: TrainedModel, features: readonly number[]): number {
  return calibrate(model.calibrator, logOdds(model.logistic, features));
}

/** P(success) × max(0, E[gain]); the probability alone when gains are unknown (spec 06 F.7.5). */
export function expectedValue(model: TrainedModel, features: readonly number[]): number {
  const p = successProbability(model, features);
  if (model.gain === null) return p;
  return p * Math.max(0, predictGain(model.gain, model.logistic.standardiser, features));
}

/** λ with the smallest out-of-fold log-loss; 1 below 60 rows (spec 06 F.7.1). */
export function chooseL2(rows: readonly LabelledRow[], seed: number): number {
  if (rows.length < L2_SEARCH_ROWS) return DEFAULT_L2;
  let best = { l2: DEFAULT_L2, loss: Number.POSITIVE_INFINITY };
  for (const l2 of L2_CHOICES) {
    const held = outOfFold(rows, l2, seed);
    const probabilities = held.log_odds.map((z) => calibrate({ kind: 'none' }, z));
    const loss = logLoss(probabilities, held.labels) ?? Number.POSITIVE_INFINITY;
    if (loss < best.loss) best = { l2, loss };
  }
  return best.l2;
}

/** Scores every row by a model fitted on the other groups; a fold that leaves one class only is left out. */
export function outOfFold(rows: readonly LabelledRow[], l2: number, seed: number): OutOfFold {
  const folds = groupedFolds(
    rows.map((row) => row.group),
    FOLDS,
    seed,
  );
  const scores: number[] = [];
  const labels: number[] = [];
  for (let fold = 0; fold < FOLDS; fold++) {
    const train = rows.filter((_, i) => folds[i] !== fold);
    if (!hasBothClasses(labelsOf(train))) continue;
    const { model } = fitIrls(featuresOf(train), labelsOf(train), l2);
    for (const [i, row] of rows.entries()) {
      if (folds[i] !== fold) continue;
      scores.push(logOdds(model, row.features));
      labels.push(row.label);
    }
  }
  return { log_odds: scores, labels };
}
