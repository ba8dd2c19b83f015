import { dot } from './linear-algebra.js';
import { applyStandardiser, type Standardiser } from './standardiser.js';

/** A fitted logistic regression on standardised features. */
export interface LogisticModel {
  readonly standardiser: Standardiser;
  readonly weights: readonly number[];
  readonly bias: number;
  /** Strength of the ridge penalty on the sum of losses. */
  readonly l2: number;
}

export function logOdds(model: LogisticModel, features: readonly number[]): number {
  return dot(model.weights, applyStandardiser(model.standardiser, features)) + model.bias;
}

export function probability(model: LogisticModel, features: readonly number[]): number {
  return sigmoid(logOdds(model, features));
}

/** 1/(1 + e^−z) without overflow. */
export function sigmoid(z: number): number {
  if (z >= 0) return 1 / (1 + Math.exp(-z));
  const e = Math.exp(z);
  return e / (1 + e);
}

/** ln(1 + e^z) without overflow. */
export function softplus(z: number): number {
  return z > 0 ? z + Math.log1p(Math.exp(-z)) : Math.log1p(Math.exp(z));
}
