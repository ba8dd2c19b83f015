import { dot } from './linear-algebra.js';
import { type LogisticModel, sigmoid } from './logistic-model.js';
import { applyStandardiser, standardise } from './standardiser.js';

const STEPS = 600;
const LEARNING_RATE = 0.2;
const L2 = 1;

/**
 * The reference's fit (spec 06 B.7): 600 full-batch steps of size 0.2 on mean log-loss + ‖w‖²/(2n), bias free. It stops
 * short of the optimum; the product fits by `fitIrls`.
 */
export function fitGradientDescent(
  rows: readonly (readonly number[])[],
  labels: readonly number[],
): LogisticModel {
  const standardiser = standardise(rows);
  const x = rows.map((row) => applyStandardiser(standardiser, row));
  const n = rows.length;
  const width = standardiser.mean.length;
  let weights = new Array<number>(width).fill(0);
  let bias = 0;
  for (let step = 0; step < STEPS; step++) {
    const gradient = new Array<number>(width).fill(0);
    let biasGradient = 0;
    for (const [i, row] of x.entries()) {
      const residual = sigmoid(dot(weights, row) + bias) - (labels[i] ?? 0);
      biasGradient += residual;
      row.forEach((value, column) => {
        gradient[column] = (gradient[column] ?? 0) + residual * value;
      });
    }
    weights = weights.map((w, column) => w - LEARNING_RATE * ((gradient[column] ?? 0) / n + (L2 * w) / n));
    bias -= LEARNING_RATE * (biasGradient / n);
  }
  return { standardiser, weights, bias, l2: L2 };
}
