import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { auc } from '../../src/stats/auc.js';
import { brier, expectedCalibrationError, logLoss, reliabilityTable } from '../../src/stats/calibration.js';
import { twoProportionZ } from '../../src/stats/two-proportion-z.js';

const arm = (failures: number, total: number) => ({ failures, total });

describe('two-proportion z-test', () => {
  it('agrees with the worked examples', () => {
    const strong = twoProportionZ(arm(200, 400), arm(80, 400));
    expect(strong.z).toBeCloseTo(-8.894991799933214, 12);
    expect(strong.pValue / 5.842361256648388e-19).toBeCloseTo(1, 9);
    expect(strong).toMatchObject({ significant: true, tentative: false, relDelta: -0.6 });
    expect(twoProportionZ(arm(100, 400), arm(100, 400))).toMatchObject({
      z: 0,
      pValue: 1,
      significant: false,
    });
    const few = twoProportionZ(arm(5, 10), arm(0, 10));
    expect(few.z).toBeCloseTo(-2.581988897471611, 12);
    expect(few.pValue).toBeCloseTo(0.009823274507519254, 12);
    expect(few).toMatchObject({ significant: true, tentative: true });
    expect(twoProportionZ(arm(0, 10), arm(5, 10))).toMatchObject({ significant: false, relDelta: 0 });
    expect(twoProportionZ(arm(10, 10), arm(10, 10))).toMatchObject({ z: 0, pValue: 1, tentative: false });
    expect(twoProportionZ(arm(5, 0), arm(3, 10))).toMatchObject({ z: 0, pValue: 1 });
    const slight = twoProportionZ(arm(4, 100), arm(5, 100));
    expect(slight.z).toBeCloseTo(0.34109634006443396, 12);
    expect(slight.relDelta).toBeCloseTo(0.25, 12);
    expect(slight.tentative).toBe(true);
  });
});

describe('AUC', () => {
  it('counts pairs, ties as one half', () => {
    expect(auc([0.9, 0.8, 0.3, 0.2], [1, 1, 0, 0])).toBe(1);
    expect(auc([0.9, 0.8, 0.3, 0.2], [0, 0, 1, 1])).toBe(0);
    expect(auc([0.5, 0.5, 0.5], [1, 0, 1])).toBe(0.5);
    expect(auc([0.5], [1])).toBeNull();
    expect(auc([], [])).toBeNull();
  });

  it('equals the count over all pairs', () => {
    const row = fc.tuple(fc.integer({ min: 0, max: 5 }), fc.constantFrom(0, 1));
    fc.assert(
      fc.property(fc.array(row, { maxLength: 40 }), (rows) => {
        const scores = rows.map(([score]) => score);
        const labels = rows.map(([, label]) => label);
        expect(auc(scores, labels)).toEqual(byPairs(rows));
      }),
    );
  });
});

describe('calibration', () => {
  it('scores probabilities', () => {
    expect(brier([1, 0, 0.5], [1, 0, 1])).toBeCloseTo(0.25 / 3, 15);
    expect(brier([], [])).toBeNull();
    expect(logLoss([0.5, 0.5], [1, 0])).toBeCloseTo(Math.LN2, 15);
    expect(Number.isFinite(logLoss([0], [1]))).toBe(true);
    expect(logLoss([], [])).toBeNull();
  });

  it('bins probabilities, 1 into the last bin, and weighs the gaps by their share', () => {
    const table = reliabilityTable([0, 0.05, 0.95, 1], [0, 1, 1, 1]);
    expect(table[0]).toEqual({ from: 0, to: 0.1, n: 2, mean_probability: 0.025, positive_rate: 0.5 });
    expect(table[9]?.n).toBe(2);
    expect(table[5]).toMatchObject({ n: 0, mean_probability: null, positive_rate: null });
    expect(expectedCalibrationError(table)).toBeCloseTo(0.5 * 0.475 + 0.5 * 0.025, 12);
    expect(expectedCalibrationError(reliabilityTable([], []))).toBeNull();
  });
});

function byPairs(rows: readonly (readonly [number, number])[]): number | null {
  const positives = rows.filter(([, label]) => label === 1);
  const negatives = rows.filter(([, label]) => label === 0);
  if (positives.length === 0 || negatives.length === 0) return null;
  let sum = 0;
  for (const [p] of positives) for (const [n] of negatives) sum += p > n ? 1 : p === n ? 0.5 : 0;
  return sum / (positives.length * negatives.length);
}
