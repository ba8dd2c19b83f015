import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Mt19937 } from '../../src/stats/mt19937.js';
import { type PairCounts, signFlipTest, signFlipTestOnRates } from '../../src/stats/sign-flip-test.js';
import { signTest, signTestTwoSided } from '../../src/stats/sign-test.js';
import { pairedVectors } from '../support/rx-metrics.js';

const random = (): Mt19937 => new Mt19937(1);

describe('sign test', () => {
  it.each([
    [5, 0, 0.03125],
    [7, 0, 0.0078125],
    [8, 1, 0.01953125],
    [10, 3, 0.046142578125],
    [15, 5, 0.020694732666015625],
    [18, 3, 0.0007448196411132812],
    [4, 1, 0.1875],
    [3, 3, 0.65625],
    [0, 5, 1],
    [0, 0, 1],
  ])('gives p(%d wins, %d losses) = %d', (wins, losses, p) => {
    expect(signTest(wins, losses)).toBeCloseTo(p, 15);
  });

  it('doubles the smaller tail when two-sided, and agrees with itself for large counts', () => {
    expect(signTestTwoSided(0, 5)).toBe(0.0625);
    expect(signTestTwoSided(3, 3)).toBe(1);
    expect(signTest(1100, 1000) / signTest(1000, 1000)).toBeCloseTo(0.0305, 2);
  });
});

describe('sign-flip test', () => {
  it.each(pairedVectors())('agrees with the reference on attempt $index of the demo', (vector) => {
    const d = vector.control_failures_per_run.map((c, i) => c - (vector.treatment_failures_per_run[i] ?? 0));
    const p = signFlipTest(d, random());
    expect(Math.abs(p - vector.sign_flip_p_exact)).toBeLessThanOrEqual(1e-9 * vector.sign_flip_p_exact);
  });

  it('is the sign test for differences of one action', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(-1, 0, 1), { maxLength: 30 }), (d) => {
        const wins = d.filter((x) => x === 1).length;
        const losses = d.filter((x) => x === -1).length;
        expect(signFlipTest(d, random())).toBeCloseTo(signTest(wins, losses), 12);
      }),
    );
  });

  it('equals the share of sign patterns that reach the sum', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 1, maxLength: 9 }), (d) => {
        expect(signFlipTest(d, random())).toBeCloseTo(bruteForce(d), 12);
      }),
    );
  });

  it('does not depend on the unit of the differences', () => {
    const d = [3, -1, 4, 1, -5, 9, 2, 6];
    const p = signFlipTest(d, random());
    expect(
      signFlipTest(
        d.map((x) => x * 7),
        random(),
      ),
    ).toBe(p);
    expect(signFlipTest([], random())).toBe(1);
    expect(signFlipTest([0, 0], random())).toBe(1);
    expect(() => signFlipTest([0.5], random())).toThrow(RangeError);
  });

  it('falls back to seeded flips when the table would be too large, close to the exact value', () => {
    const d = [900_001, -300_007, 500_009, 700_001, -100_003, 400_009, 800_011, 200_003];
    const p = signFlipTest(d, random());
    expect(p).toBe(signFlipTest(d, random()));
    expect(Math.abs(p - bruteForce(d))).toBeLessThan(0.01);
  });
});

describe('sign-flip test on rates', () => {
  it('equals the plain test when every run has as many actions', () => {
    const pairs = [pair(30, 60, 20, 60), pair(25, 60, 27, 60), pair(31, 60, 22, 60)];
    expect(signFlipTestOnRates(pairs, random())).toBe(signFlipTest([10, -2, 9], random()));
  });

  it('weighs failures by the actions of their own run', () => {
    // 3/6 and 30/60 are the same rate, so only the second pair speaks.
    expect(signFlipTestOnRates([pair(3, 6, 30, 60), pair(30, 60, 20, 60)], random())).toBe(0.5);
  });

  it('answers also when no common multiple is small enough', () => {
    const primes = [10007, 10009, 10037, 10039, 10061, 10067];
    const pairs = primes.map((m) => pair(500, m, 100, m + 2));
    expect(signFlipTestOnRates(pairs, random())).toBeCloseTo(1 / 64, 2);
    expect(
      signFlipTestOnRates(
        primes.map((m) => pair(0, m, 0, m + 2)),
        random(),
      ),
    ).toBe(1);
  });
});

function pair(c: number, mc: number, t: number, mt: number): PairCounts {
  return { controlFailures: c, controlActions: mc, treatmentFailures: t, treatmentActions: mt };
}

function bruteForce(d: readonly number[]): number {
  const observed = d.reduce((sum, x) => sum + x, 0);
  let hits = 0;
  for (let mask = 0; mask < 2 ** d.length; mask += 1) {
    const sum = d.reduce((total, x, i) => total + (mask & (1 << i) ? Math.abs(x) : -Math.abs(x)), 0);
    if (sum >= observed) hits += 1;
  }
  return hits / 2 ** d.length;
}
