import { auc } from '../../stats/auc.js';
import { bootstrapInterval } from '../../stats/bootstrap.js';
import {
  brier,
  expectedCalibrationError,
  logLoss,
  type ReliabilityBin,
  reliabilityTable,
} from '../../stats/calibration.js';
import { Mt19937 } from '../../stats/mt19937.js';

/** A figure with its 95 % bootstrap interval over groups, or why there is none. */
export type Figure =
  | { readonly value: number; readonly low: number; readonly high: number; readonly reason?: undefined }
  | { readonly value: null; readonly reason: string };

/** How one scorer did on rows it had not seen. */
export interface ScorerEvaluation {
  readonly name: string;
  readonly auc: Figure;
  readonly brier: Figure;
  readonly log_loss: Figure;
  readonly ece: Figure;
  readonly reliability: readonly ReliabilityBin[];
}

export interface EvaluationOptions {
  readonly seed: number;
  /** Bootstrap resamples, 10,000 by default. */
  readonly resamples?: number;
}

/** A scorer whose scores are read as probabilities where a figure needs them. */
export interface Scored {
  readonly name: string;
  readonly scores: readonly number[];
}

const FEWEST_PER_CLASS = 5;
const CALIBRATION_BINS = 10;

/**
 * Evaluates scorers on the same test rows. Intervals resample whole groups, since rows of one episode are alike; with
 * fewer than 5 positives or negatives no number is given (spec 06 F.7.3).
 */
export function evaluateScorers(
  scorers: readonly Scored[],
  labels: readonly number[],
  groups: readonly string[],
  options: EvaluationOptions,
): ScorerEvaluation[] {
  const members = groupMembers(groups);
  const refusal = whyNot(labels);
  return scorers.map(({ name, scores }) => {
    const figure = (statistic: Statistic) => {
      if (refusal !== null) return { value: null, reason: refusal } satisfies Figure;
      return bootstrapFigure(statistic, scores, labels, members, options);
    };
    return {
      name,
      auc: figure(auc),
      brier: figure(brier),
      log_loss: figure(logLoss),
      ece: figure((p, y) => expectedCalibrationError(reliabilityTable(p, y, CALIBRATION_BINS))),
      reliability: reliabilityTable(scores, labels, CALIBRATION_BINS),
    };
  });
}

/** Interval of the difference of two scorers' AUC on the same rows, resampled together. */
export function aucDifference(
  first: readonly number[],
  second: readonly number[],
  labels: readonly number[],
  groups: readonly string[],
  options: EvaluationOptions,
): Figure {
  const refusal = whyNot(labels);
  if (refusal !== null) return { value: null, reason: refusal };
  const indices = labels.map((_, i) => i);
  const difference: Statistic = (rows, y) => {
    const a = auc(pick(first, rows), y);
    const b = auc(pick(second, rows), y);
    return a === null || b === null ? null : a - b;
  };
  return bootstrapFigure(difference, indices, labels, groupMembers(groups), options);
}

type Statistic = (scores: readonly number[], labels: readonly number[]) => number | null;

function bootstrapFigure(
  statistic: Statistic,
  scores: readonly number[],
  labels: readonly number[],
  members: readonly (readonly number[])[],
  options: EvaluationOptions,
): Figure {
  const interval = bootstrapInterval(
    members.length,
    (chosen) => {
      const rows: number[] = [];
      for (const group of chosen) rows.push(...(members[group] ?? []));
      return statistic(pick(scores, rows), pick(labels, rows));
    },
    { random: new Mt19937(options.seed), resamples: options.resamples ?? 10_000 },
  );
  if (interval === null) return { value: null, reason: 'undefined on these rows' };
  return { value: interval.estimate, low: interval.low, high: interval.high };
}

function whyNot(labels: readonly number[]): string | null {
  const positives = labels.filter((label) => label === 1).length;
  const fewest = Math.min(positives, labels.length - positives);
  if (fewest >= FEWEST_PER_CLASS) return null;
  return `${positives} positives and ${labels.length - positives} negatives in the test part, at least ${FEWEST_PER_CLASS} of each needed`;
}

function groupMembers(groups: readonly string[]): number[][] {
  const members = new Map<string, number[]>();
  groups.forEach((group, row) => {
    const list = members.get(group);
    if (list === undefined) members.set(group, [row]);
    else list.push(row);
  });
  return [...members.values()];
}

function pick(values: readonly number[], rows: readonly number[]): number[] {
  return rows.map((row) => values[row] ?? 0);
}
