import { fitIrls } from './irls.js';
import { sigmoid } from './logistic-model.js';
import { applyStandardiser } from './standardiser.js';

/** How log-odds become calibrated probabilities. */
export type Calibrator =
  | { readonly kind: 'none' }
  | { readonly kind: 'platt'; readonly slope: number; readonly intercept: number }
  | {
      readonly kind: 'isotonic';
      readonly knots: readonly (readonly [logOdds: number, probability: number])[];
    };

/** From so many rows on isotonic regression is used (spec 06 F.7.4). */
const ISOTONIC_ROWS = 300;
const PLATT_L2 = 1e-9;

/**
 * Fits a calibrator on out-of-fold log-odds: Platt's scaling with his smoothed targets below 300 rows (Platt 1999),
 * isotonic regression by pool-adjacent-violators above (Zadrozny & Elkan 2002), kept within Platt's targets so that no finite
 * sample promises certainty; spec 06 F.7.4. Without both classes there is nothing to calibrate.
 */
export function fitCalibrator(logOdds: readonly number[], labels: readonly number[]): Calibrator {
  if (!labels.includes(0) || !labels.includes(1)) return { kind: 'none' };
  return logOdds.length < ISOTONIC_ROWS ? fitPlatt(logOdds, labels) : fitIsotonic(logOdds, labels);
}

export function calibrate(calibrator: Calibrator, logOdds: number): number {
  if (calibrator.kind === 'none') return sigmoid(logOdds);
  if (calibrator.kind === 'platt') return sigmoid(calibrator.slope * logOdds + calibrator.intercept);
  return interpolate(calibrator.knots, logOdds);
}

function fitPlatt(logOdds: readonly number[], labels: readonly number[]): Calibrator {
  const { low, high } = plattTargets(labels);
  const targets = labels.map((label) => (label === 1 ? high : low));
  const { model } = fitIrls(
    logOdds.map((z) => [z]),
    targets,
    PLATT_L2,
  );
  const scale = model.standardiser.constant[0]
    ? 0
    : (model.weights[0] ?? 0) / (model.standardiser.deviation[0] ?? 1);
  const atZero = applyStandardiser(model.standardiser, [0])[0] ?? 0;
  return { kind: 'platt', slope: scale, intercept: (model.weights[0] ?? 0) * atZero + model.bias };
}

/** What a negative and a positive are worth (Platt 1999): 1/(n₋ + 2) and (n₊ + 1)/(n₊ + 2). */
function plattTargets(labels: readonly number[]): { low: number; high: number } {
  const positives = labels.filter((label) => label === 1).length;
  return { low: 1 / (labels.length - positives + 2), high: (positives + 1) / (positives + 2) };
}

interface Block {
  readonly from: number;
  to: number;
  sum: number;
  n: number;
}

function fitIsotonic(logOdds: readonly number[], labels: readonly number[]): Calibrator {
  const order = logOdds.map((_, i) => i).sort((a, b) => (logOdds[a] ?? 0) - (logOdds[b] ?? 0));
  const blocks: Block[] = [];
  for (const i of order) {
    const z = logOdds[i] ?? 0;
    const label = labels[i] ?? 0;
    const last = blocks.at(-1);
    if (last !== undefined && last.to === z) {
      last.sum += label;
      last.n += 1;
    } else {
      blocks.push({ from: z, to: z, sum: label, n: 1 });
    }
    poolViolators(blocks);
  }
  const { low, high } = plattTargets(labels);
  const knots = blocks.flatMap(({ from, to, sum, n }): [number, number][] => {
    const value = Math.min(high, Math.max(low, sum / n));
    return from === to
      ? [[from, value]]
      : [
          [from, value],
          [to, value],
        ];
  });
  return { kind: 'isotonic', knots };
}

function poolViolators(blocks: Block[]): void {
  for (;;) {
    const last = blocks.at(-1);
    const before = blocks.at(-2);
    if (last === undefined || before === undefined || before.sum * last.n < last.sum * before.n) return;
    before.to = last.to;
    before.sum += last.sum;
    before.n += last.n;
    blocks.pop();
  }
}

function interpolate(knots: readonly (readonly [number, number])[], z: number): number {
  let previous = knots[0];
  if (previous === undefined) return sigmoid(z);
  if (z <= previous[0]) return previous[1];
  for (const knot of knots) {
    if (z <= knot[0]) {
      const width = knot[0] - previous[0];
      return width === 0 ? knot[1] : previous[1] + ((z - previous[0]) / width) * (knot[1] - previous[1]);
    }
    previous = knot;
  }
  return previous[1];
}
