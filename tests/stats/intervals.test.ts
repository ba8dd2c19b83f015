import { describe, expect, it } from 'vitest';
import { bootstrapInterval, bootstrapMean } from '../../src/stats/bootstrap.js';
import { mean, median, populationDeviation, sampleDeviation, skewness } from '../../src/stats/descriptive.js';
import { Mt19937 } from '../../src/stats/mt19937.js';
import { pairedTInterval, pairedTUpperBound } from '../../src/stats/paired-t.js';
import { permutationTest } from '../../src/stats/permutation.js';

describe('descriptive statistics', () => {
  it('has the textbook values', () => {
    const values = [2, 4, 4, 4, 5, 5, 7, 9];
    expect(mean(values)).toBe(5);
    expect(populationDeviation(values)).toBe(2);
    expect(sampleDeviation(values)).toBeCloseTo(2.138089935299395, 14);
    expect(skewness(values)).toBeCloseTo(0.65625, 12);
    expect([median(values), median([3]), median([])]).toEqual([4.5, 3, null]);
    expect([sampleDeviation([5]), skewness([1, 1, 1])]).toEqual([0, 0]);
  });
});

describe('paired t interval', () => {
  it('agrees with a worked example', () => {
    // Gosset's sleep data: mean 1.58, s 1.229995, t = 4.0621, interval 0.7001 to 2.4599.
    const sleep = [1.2, 2.4, 1.3, 1.3, 0, 1.0, 1.8, 0.8, 4.6, 1.4];
    const { estimate, low, high } = pairedTInterval(sleep);
    expect(estimate).toBeCloseTo(1.58, 12);
    expect(low).toBeCloseTo(0.7001142, 6);
    expect(high).toBeCloseTo(2.4598858, 6);
  });

  it('knows nothing from one pair and everything from equal ones', () => {
    expect(pairedTInterval([3])).toEqual({ estimate: 3, low: -Infinity, high: Infinity });
    expect(pairedTUpperBound([3])).toBe(Infinity);
    expect(pairedTUpperBound([2, 2, 2])).toBe(2);
    expect(pairedTInterval([2, 2, 2])).toEqual({ estimate: 2, low: 2, high: 2 });
  });

  it('covers the true mean as often as it says: seeded simulation', () => {
    const random = new Mt19937(5);
    let covered = 0;
    for (let run = 0; run < 4000; run += 1) {
      const { low, high } = pairedTInterval(Array.from({ length: 12 }, () => random.gauss(0.3, 2)));
      if (low <= 0.3 && 0.3 <= high) covered += 1;
    }
    expect(Math.abs(covered / 4000 - 0.95)).toBeLessThan(0.014);
  });
});

describe('bootstrap', () => {
  it('is close to the t interval for a mean, and reproducible from its seed', () => {
    const random = new Mt19937(9);
    const values = Array.from({ length: 60 }, () => random.gauss(1, 1));
    const t = pairedTInterval(values);
    const bootstrap = bootstrapMean(values, { random: new Mt19937(1) });
    expect(bootstrap?.estimate).toBe(t.estimate);
    expect(Math.abs((bootstrap?.low ?? 9) - t.low)).toBeLessThan(0.03);
    expect(Math.abs((bootstrap?.high ?? 9) - t.high)).toBeLessThan(0.03);
    expect(bootstrapMean(values, { random: new Mt19937(1) })).toEqual(bootstrap);
  });

  it('says how often the statistic was undefined, and null when it always was', () => {
    const onlyFirst = (chosen: Int32Array): number | null => (chosen.includes(0) ? chosen.length : null);
    const interval = bootstrapInterval(2, onlyFirst, { random: new Mt19937(2), resamples: 4000 });
    expect(interval?.undefinedShare).toBeCloseTo(0.25, 1);
    expect(bootstrapInterval(2, () => null, { random: new Mt19937(2) })).toBeNull();
    expect(bootstrapMean([], { random: new Mt19937(2) })).toBeNull();
  });
});

describe('permutation test', () => {
  it('enumerates small batches', () => {
    const result = permutationTest([1, 2, 3], [4, 5, 6], new Mt19937(0));
    expect(result).toEqual({ difference: 3, pGreater: 1 / 20, pLess: 1, exact: true });
    expect(permutationTest([1, 1], [1, 1], new Mt19937(0))).toMatchObject({ pGreater: 1, pLess: 1 });
  });

  it('samples large ones, never reporting zero, close to the truth', () => {
    const first = Array.from({ length: 20 }, (_, i) => i % 7);
    const apart = permutationTest(
      first,
      first.map((x) => x + 50),
      new Mt19937(4),
    );
    expect(apart).toMatchObject({ pGreater: 1 / 20_001, pLess: 1, exact: false });
    const same = permutationTest(first, first, new Mt19937(4));
    expect(same.pGreater).toBeGreaterThan(0.45);
    expect(same.difference).toBe(0);
  });

  it('is honest under the null: seeded simulation', () => {
    const random = new Mt19937(8);
    let rejected = 0;
    for (let run = 0; run < 1500; run += 1) {
      const draw = (): number[] => Array.from({ length: 5 }, () => random.random() ** 3);
      if (permutationTest(draw(), draw(), random).pGreater <= 0.05) rejected += 1;
    }
    expect(rejected / 1500).toBeLessThan(0.05 + 4 * Math.sqrt((0.05 * 0.95) / 1500));
    expect(rejected / 1500).toBeGreaterThan(0.02);
  });
});
