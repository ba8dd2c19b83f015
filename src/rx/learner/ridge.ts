import { cholesky, dot, solveFactored } from './linear-algebra.js';
import { applyStandardiser, type Standardiser } from './standardiser.js';

/** A linear regression on standardised features. */
export interface GainModel {
  readonly weights: readonly number[];
  readonly bias: number;
}

/**
 * Ridge regression with a free intercept on already fixed standardisation (Hoerl & Kennard 1970; spec 06 F.7.5).
 *
 * @param rows at least one
 * @param l2 λ > 0 on the summed squared error
 */
export function fitRidge(
  rows: readonly (readonly number[])[],
  targets: readonly number[],
  standardiser: Standardiser,
  l2: number,
): GainModel {
  const x = rows.map((row) => [...applyStandardiser(standardiser, row), 1]);
  const width = standardiser.mean.length;
  const normal = Array.from({ length: width + 1 }, (_, i) =>
    Array.from({ length: width + 1 }, (__, j) => (i === j && i < width ? l2 : 0)),
  );
  const moment = new Array<number>(width + 1).fill(0);
  for (const [i, row] of x.entries()) {
    for (const [a, line] of normal.entries()) {
      moment[a] = (moment[a] ?? 0) + (row[a] ?? 0) * (targets[i] ?? 0);
      row.forEach((value, b) => {
        line[b] = (line[b] ?? 0) + (row[a] ?? 0) * value;
      });
    }
  }
  const solution = solveFactored(cholesky(normal), moment);
  return { weights: solution.slice(0, -1), bias: solution.at(-1) ?? 0 };
}

export function predictGain(
  model: GainModel,
  standardiser: Standardiser,
  features: readonly number[],
): number {
  return dot(model.weights, applyStandardiser(standardiser, features)) + model.bias;
}
