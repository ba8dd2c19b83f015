import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitGradientDescent } from '../../../src/rx/learner/gradient-descent.js';
import { splitByRow } from '../../../src/rx/learner/groups.js';
import { priorOfFeatures, priorWithoutEnvironment } from '../../../src/rx/learner/heuristic-prior.js';
import { fitIrls } from '../../../src/rx/learner/irls.js';
import { probability } from '../../../src/rx/learner/logistic-model.js';
import { fitRidge, predictGain } from '../../../src/rx/learner/ridge.js';
import { standardise } from '../../../src/rx/learner/standardiser.js';
import { auc } from '../../../src/stats/auc.js';
import { brier } from '../../../src/stats/calibration.js';
import { recordedMetrics, recordedRows } from './training-set.js';

const rows = recordedRows();
const metrics = recordedMetrics();
const split = splitByRow(rows.length, 0.3, 0);
const train = split.train.map((i) => rows[i]).filter((row) => row !== undefined);
const test = split.test.map((i) => rows[i]).filter((row) => row !== undefined);
const features = train.map((row) => row.features);

function expectClose(found: readonly number[], expected: readonly number[], tolerance: number): void {
  expect(found).toHaveLength(expected.length);
  found.forEach((value, i) => {
    expect(Math.abs(value - (expected[i] ?? Number.NaN))).toBeLessThanOrEqual(tolerance);
  });
}

describe('the reference split', () => {
  it('has the recorded sizes', () => {
    expect([train.length, test.length]).toEqual([168, 72]);
  });
});

describe('fitGradientDescent', () => {
  const model = fitGradientDescent(
    features,
    train.map((row) => row.label),
  );

  it('reproduces the reference weights to 1e-9 (06 H.2)', () => {
    expectClose(model.standardiser.mean, metrics.gradient_descent_model.mean, 1e-12);
    expectClose(model.weights, metrics.gradient_descent_model.weights, 1e-9);
    expect(model.bias).toBeCloseTo(metrics.gradient_descent_model.bias, 9);
  });

  it('reproduces AUC exactly and Brier to 1e-12', () => {
    const p = test.map((row) => probability(model, row.features));
    const y = test.map((row) => row.label);
    expect(auc(p, y)).toBe(metrics.training.auc_learned);
    expect(brier(p, y)).toBeCloseTo(metrics.training.brier_learned, 12);
    expect(
      auc(
        test.map((row) => priorOfFeatures(row.features)),
        y,
      ),
    ).toBe(metrics.training.auc_heuristic);
  });
});

describe('fitIrls', () => {
  it('reaches the recorded optimum in 8 steps (06 F.7.1, H.4)', () => {
    const fit = fitIrls(
      features,
      train.map((row) => row.label),
      1,
    );
    expect(fit.steps).toBe(8);
    expect(fit.converged).toBe(true);
    expect(Math.abs(fit.objective / train.length - 0.12774451692740962)).toBeLessThan(1e-12);
    expectClose(fit.model.weights, metrics.irls_optimum.weights, 1e-9);
    expect(fit.model.bias).toBeCloseTo(metrics.irls_optimum.bias, 9);
    const p = test.map((row) => probability(fit.model, row.features));
    const y = test.map((row) => row.label);
    expect(auc(p, y)).toBe(metrics.irls_optimum.auc_test);
    expect(brier(p, y)).toBeCloseTo(metrics.irls_optimum.brier_test, 12);
  });

  it('reproduces the fit on paired labels (06 F.7.2)', () => {
    const recorded = metrics.training_paired_labels.irls;
    const fit = fitIrls(
      features,
      train.map((row) => row.labelPaired),
      1,
    );
    expectClose(fit.model.weights, recorded.weights, 1e-9);
    const p = test.map((row) => probability(fit.model, row.features));
    const y = test.map((row) => row.labelPaired);
    expect(auc(p, y)).toBe(recorded.auc_test);
    expect(brier(p, y)).toBeCloseTo(recorded.brier_test, 12);
    const heuristic = test.map((row) => priorOfFeatures(row.features));
    expect(auc(heuristic, y)).toBeCloseTo(recorded.auc_heuristic_test, 12);
  });

  it('gives a constant column no weight', () => {
    const fit = fitIrls(
      [
        [1, 0.1],
        [2, 0.1],
        [3, 0.1],
        [4, 0.1],
      ],
      [0, 1, 0, 1],
      1,
    );
    expect(fit.model.weights[1]).toBe(0);
  });

  it('converges on any data with a positive penalty', () => {
    const row = fc.tuple(
      fc.double({ min: -1e6, max: 1e6, noNaN: true }),
      fc.double({ min: -1, max: 1, noNaN: true }),
    );
    const data = fc.array(fc.tuple(row, fc.constantFrom(0, 1)), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(data, (examples) => {
        const labels = examples.map(([, label]) => label);
        fc.pre(labels.includes(0) && labels.includes(1));
        const fit = fitIrls(
          examples.map(([x]) => x),
          labels,
          1,
        );
        expect(fit.converged).toBe(true);
      }),
    );
  });
});

describe('the prior', () => {
  it.each([
    [[10, 7, 2 / 3, 8.2, 0.6, 1, 1.5, 0, 1, 0, 0], 0.49625],
    [[10, 3, 1, 5.8, 0.2, 1, 1, 0, 0, 0, 0], 0.24125],
    [[10, 7.5, 0, 8.5, 0.2, 1, -1, 0, 0, 1, 0], 0.665625],
    [[5, 4.5, 0, 4.7, 0.2, 1, -1, 0, 0, 0, 0], 0.506875],
  ])('of %j is %d (06 G.2–G.4)', (vector, expected) => {
    expect(priorOfFeatures(vector)).toBeCloseTo(expected, 9);
  });

  it('is 0 for environment constraints in the stronger baseline', () => {
    expect(priorWithoutEnvironment([10, 2, 0.4, 3, 1, 1, 1, 0, 0, 0, 1])).toBe(0);
    expect(priorWithoutEnvironment([10, 7, 0.4, 3, 1, 1, 1, 0, 1, 0, 0])).toBeGreaterThan(0);
  });
});

describe('fitRidge', () => {
  it('approaches the line that made the data as the penalty vanishes', () => {
    const x = [[1], [2], [3], [4], [7]];
    const standardiser = standardise(x);
    const model = fitRidge(
      x,
      x.map(([value = 0]) => 3 * value - 2),
      standardiser,
      1e-9,
    );
    expect(predictGain(model, standardiser, [10])).toBeCloseTo(28, 6);
  });

  it('shrinks towards the mean as the penalty grows', () => {
    const x = [[0], [1]];
    const standardiser = standardise(x);
    expect(predictGain(fitRidge(x, [0, 1], standardiser, 1e9), standardiser, [1])).toBeCloseTo(0.5, 6);
  });
});
