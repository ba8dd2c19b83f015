import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calibrate, fitCalibrator } from '../../../src/rx/learner/calibrator.js';
import { sigmoid } from '../../../src/rx/learner/logistic-model.js';
import { expectedCalibrationError, reliabilityTable } from '../../../src/stats/calibration.js';
import { Mt19937 } from '../../../src/stats/mt19937.js';

/** Log-odds that are twice too far from zero, with labels drawn from the truth. */
function overconfident(n: number, seed: number): { z: number[]; y: number[] } {
  const random = new Mt19937(seed);
  const truth = Array.from({ length: n }, () => random.uniform(-3, 3));
  return { z: truth.map((t) => 2 * t), y: truth.map((t) => (random.random() < sigmoid(t) ? 1 : 0)) };
}

describe('fitCalibrator', () => {
  it('keeps the plain sigmoid when a class is missing', () => {
    expect(fitCalibrator([1, 2], [1, 1])).toEqual({ kind: 'none' });
    expect(calibrate({ kind: 'none' }, 0)).toBe(0.5);
  });

  it.each([
    [200, 'platt'],
    [600, 'isotonic'],
  ])('on %i rows uses %s and repairs an overconfident score', (n, kind) => {
    const { z, y } = overconfident(n, 11);
    const calibrator = fitCalibrator(z, y);
    expect(calibrator.kind).toBe(kind);
    const fresh = overconfident(4000, 12);
    const error = (p: number[]) => expectedCalibrationError(reliabilityTable(p, fresh.y)) ?? 1;
    const raw = error(fresh.z.map(sigmoid));
    const repaired = error(fresh.z.map((value) => calibrate(calibrator, value)));
    expect(repaired).toBeLessThan(raw / 2);
  });

  it('is monotone and stays in [0, 1]', () => {
    const point = fc.tuple(fc.double({ min: -20, max: 20, noNaN: true }), fc.constantFrom(0, 1));
    fc.assert(
      fc.property(fc.array(point, { minLength: 300, maxLength: 330 }), (points) => {
        const calibrator = fitCalibrator(
          points.map(([z]) => z),
          points.map(([, y]) => y),
        );
        const grid = Array.from({ length: 90 }, (_, i) => calibrate(calibrator, (i - 45) / 2));
        for (const [i, p] of grid.entries()) {
          expect(p).toBeGreaterThanOrEqual(i === 0 ? 0 : (grid[i - 1] ?? 0) - 1e-12);
          expect(p).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('pools equal scores whatever the order of their labels', () => {
    const z = [...new Array(150).fill(0), ...new Array(150).fill(1)];
    const y = z.map((value, i) => (value === 0 ? i % 2 : i % 4 === 0 ? 0 : 1));
    const calibrator = fitCalibrator(z, y);
    expect(calibrate(calibrator, 0)).toBeCloseTo(0.5, 12);
    expect(calibrate(calibrator, 1)).toBeCloseTo(y.slice(150).reduce((a, b) => a + b) / 150, 12);
  });
});
