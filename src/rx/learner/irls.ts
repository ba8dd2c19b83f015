import { cholesky, dot, solveFactored } from './linear-algebra.js';
import { type LogisticModel, sigmoid, softplus } from './logistic-model.js';
import { applyStandardiser, standardise } from './standardiser.js';

const MAX_STEPS = 50;
const GRADIENT_LIMIT = 1e-10;
const ARMIJO = 1e-4;
const ROUNDING = 1e-12;
const SMALLEST_STEP = 2 ** -40;

/** A fit and how it ended. */
export interface IrlsFit {
  readonly model: LogisticModel;
  readonly steps: number;
  /** Largest |gradient| of the summed objective at the solution. */
  readonly max_gradient: number;
  /** Summed log-loss + (λ/2)‖w‖². */
  readonly objective: number;
  readonly converged: boolean;
}

/**
 * Ridge logistic regression by Newton's method with step halving (iteratively reweighted least squares, Hosmer &
 * Lemeshow; spec 06 F.7.1): minimises Σ log-loss + (λ/2)‖w‖² with the bias free.
 *
 * @param rows feature vectors of equal length, at least one
 * @param targets labels or soft targets in [0, 1]
 * @param l2 λ > 0
 */
export function fitIrls(
  rows: readonly (readonly number[])[],
  targets: readonly number[],
  l2: number,
): IrlsFit {
  const standardiser = standardise(rows);
  // A last column of ones carries the bias.
  const x = rows.map((row) => [...applyStandardiser(standardiser, row), 1]);
  const problem: Problem = { x, targets, l2, width: standardiser.mean.length };
  let beta = new Array<number>(problem.width + 1).fill(0);
  let objective = objectiveAt(problem, beta);
  let gradient = gradientAt(problem, beta);
  let steps = 0;
  while (steps < MAX_STEPS && largest(gradient) >= GRADIENT_LIMIT) {
    const next = newtonStep(problem, beta, gradient, objective);
    if (next === null) break;
    ({ beta, objective } = next);
    gradient = gradientAt(problem, beta);
    steps += 1;
  }
  const maxGradient = largest(gradient);
  return {
    model: { standardiser, weights: beta.slice(0, -1), bias: beta.at(-1) ?? 0, l2 },
    steps,
    max_gradient: maxGradient,
    objective,
    converged: maxGradient < GRADIENT_LIMIT,
  };
}

interface Problem {
  readonly x: readonly (readonly number[])[];
  readonly targets: readonly number[];
  readonly l2: number;
  /** Number of penalised columns; the bias follows them. */
  readonly width: number;
}

/** One damped step, null when no step length decreases the objective. */
function newtonStep(
  problem: Problem,
  beta: readonly number[],
  gradient: readonly number[],
  objective: number,
) {
  const step = solveFactored(cholesky(hessianAt(problem, beta)), gradient);
  const slope = dot(gradient, step);
  const slack = ROUNDING * Math.max(1, Math.abs(objective));
  for (let t = 1; t >= SMALLEST_STEP; t /= 2) {
    const candidate = beta.map((value, i) => value - t * (step[i] ?? 0));
    const value = objectiveAt(problem, candidate);
    if (value <= objective - ARMIJO * t * slope + slack) return { beta: candidate, objective: value };
  }
  return null;
}

function objectiveAt({ x, targets, l2, width }: Problem, beta: readonly number[]): number {
  let sum = 0;
  for (const [i, row] of x.entries()) {
    const z = dot(beta, row);
    sum += softplus(z) - (targets[i] ?? 0) * z;
  }
  let penalty = 0;
  for (let column = 0; column < width; column++) penalty += (beta[column] ?? 0) ** 2;
  return sum + (l2 / 2) * penalty;
}

function gradientAt({ x, targets, l2, width }: Problem, beta: readonly number[]): number[] {
  const gradient = beta.map((value, column) => (column < width ? l2 * value : 0));
  for (const [i, row] of x.entries()) {
    const residual = sigmoid(dot(beta, row)) - (targets[i] ?? 0);
    row.forEach((value, column) => {
      gradient[column] = (gradient[column] ?? 0) + residual * value;
    });
  }
  return gradient;
}

function hessianAt({ x, l2, width }: Problem, beta: readonly number[]): number[][] {
  const hessian = beta.map((_, i) => beta.map((__, j) => (i === j && i < width ? l2 : 0)));
  for (const row of x) {
    const p = sigmoid(dot(beta, row));
    const weight = p * (1 - p);
    for (const [i, line] of hessian.entries()) {
      const scaled = weight * (row[i] ?? 0);
      for (let j = 0; j <= i; j++) line[j] = (line[j] ?? 0) + scaled * (row[j] ?? 0);
    }
  }
  return hessian;
}

function largest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
}
