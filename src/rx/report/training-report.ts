import type { Figure } from '../learner/evaluation.js';
import type { ReferenceTraining, Training } from '../learner/train.js';
import { calibrationChart } from './charts.js';
import { type Document, heading, list, paragraph, picture, table } from './document.js';
import { fixed, percent } from './format.js';

/** The report of `rx train` (spec 06 F.7.3): figures on unseen episodes, beside the baselines, with their intervals. */
export function trainingReport(training: Training): Document {
  const { n, n_train: nTrain, n_test: nTest, groups_train: eTrain, groups_test: eTest } = training;
  const rows = training.scorers.map((scorer) => [
    scorer.name,
    figure(scorer.auc, 3),
    figure(scorer.brier, 4),
    figure(scorer.log_loss, 4),
    figure(scorer.ece, 4),
  ]);
  const learned = training.scorers[0];
  return [
    heading(1, 'Training of the prioritizer'),
    paragraph(
      `${n} labelled incidents, ${percent(training.positive_rate, 1)} with a fix that helps. ${eTrain} episodes (${nTrain} rows) trained, ${eTest} unseen episodes (${nTest} rows) tested.`,
    ),
    table(['on unseen episodes', 'AUC', 'Brier', 'log loss', 'ECE'], rows),
    paragraph(`AUC beyond the best baseline: ${figure(training.auc_gain, 3)}.`),
    list([
      'In brackets: 95 % intervals from resampling whole episodes. A wide one means that little is known, whatever the figure.',
      'The heuristics are rankings, not probabilities: only their AUC is meant to be good.',
      'The simulator draws the episodes; nothing here says how the ranking does elsewhere.',
    ]),
    ...(learned === undefined
      ? []
      : [picture(calibrationChart(learned.reliability, 'Calibration on unseen episodes'))]),
    paragraph(modelLine(training)),
  ];
}

/** The reference's one line (spec 06 C.6). */
export function referenceTrainingLine(training: ReferenceTraining): string {
  const { n, n_train: nTrain, n_test: nTest } = training;
  return [
    `n=${n} train=${nTrain} test=${nTest} positive=${fixed(training.positive_rate, 2)}`,
    `AUC learned=${number(training.auc_learned)} heuristic=${number(training.auc_heuristic)}`,
    `Brier learned=${number(training.brier_learned)} base=${number(training.brier_base_rate)}`,
  ].join('  ');
}

function modelLine({ model, n }: Training): string {
  if (model === null) return 'No model: all labels are alike.';
  const calibration =
    model.calibrator.kind === 'none' ? 'uncalibrated' : `calibrated (${model.calibrator.kind})`;
  return `Model on all ${n} rows: λ = ${model.logistic.l2} by cross-validation, ${calibration}.`;
}

function figure(value: Figure, decimals: number): string {
  if (value.value === null) return `unknown: ${value.reason}`;
  return `${fixed(value.value, decimals)} [${fixed(value.low, decimals)}, ${fixed(value.high, decimals)}]`;
}

function number(value: number | null): string {
  return value === null ? 'unknown' : fixed(value, 3);
}
