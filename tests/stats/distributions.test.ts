import { describe, expect, it } from 'vitest';
import { regularizedBeta } from '../../src/stats/beta.js';
import { binomialMass, binomialUpperTail } from '../../src/stats/binomial.js';
import { logChoose, logFactorial, logGamma } from '../../src/stats/gamma.js';
import { erfc, normalCdf } from '../../src/stats/normal.js';
import { studentTCdf, studentTQuantile } from '../../src/stats/student-t.js';

const relative = (got: number, want: number): number => Math.abs(got - want) / Math.abs(want);

describe('erfc', () => {
  it.each([
    [1, 0.31731050786291415],
    [3, 0.0026997960632601913],
    [5, 5.733031437583892e-7],
    [25.806451785394255, 7.505378858364652e-147],
  ])('gives the two-sided p of z = %d to 1e-12', (z, p) => {
    expect(relative(erfc(z / Math.SQRT2), p)).toBeLessThan(1e-12);
  });

  it('is symmetric, continuous where the method changes, and 0 in the far tail', () => {
    expect(erfc(0)).toBe(1);
    expect(erfc(-1.3) + erfc(1.3)).toBeCloseTo(2, 14);
    expect(relative(erfc(2.5 - 1e-13), erfc(2.5 + 1e-13))).toBeLessThan(2e-12);
    expect(erfc(-3) + erfc(3)).toBe(2);
    expect(erfc(40)).toBe(0);
    expect(erfc(Number.NaN)).toBeNaN();
    expect(normalCdf(1.959963984540054)).toBeCloseTo(0.975, 14);
  });
});

describe("Student's t", () => {
  it.each([
    [0.95, 9, 1.8331129327],
    [0.95, 39, 1.6848751217],
    [0.975, 39, 2.02269092],
    [0.975, 199, 1.9719565443],
    [0.975, 1, 12.7062047362],
  ])('has the quantile %d with %d degrees of freedom', (p, df, t) => {
    expect(studentTQuantile(p, df)).toBeCloseTo(t, 9);
    expect(studentTQuantile(1 - p, df)).toBeCloseTo(-t, 8);
    expect(studentTCdf(studentTQuantile(p, df), df)).toBeCloseTo(p, 12);
  });

  it('refuses probabilities outside (0, 1) and no degrees of freedom', () => {
    expect(() => studentTQuantile(1, 5)).toThrow(RangeError);
    expect(() => studentTQuantile(0.9, 0)).toThrow(RangeError);
  });
});

describe('gamma, beta and binomial', () => {
  it('agrees with known values', () => {
    expect(logGamma(0.5)).toBeCloseTo(Math.log(Math.PI) / 2, 13);
    expect(logGamma(0.1)).toBeCloseTo(2.252712651734206, 12);
    expect(Math.exp(logFactorial(10))).toBeCloseTo(3628800, 6);
    expect(relative(logFactorial(3000), logFactorial(2048) + sumOfLogs(2049, 3000))).toBeLessThan(1e-13);
    expect(Math.exp(logChoose(40, 20))).toBeCloseTo(137846528820, -1);
    expect(regularizedBeta(0.3, 2, 5)).toBeCloseTo(0.579825, 6);
    expect(regularizedBeta(0.5, 3, 3)).toBeCloseTo(0.5, 14);
    expect([regularizedBeta(0, 2, 2), regularizedBeta(1, 2, 2)]).toEqual([0, 1]);
  });

  it('sums binomial tails, also at the edges', () => {
    expect(binomialUpperTail(8, 10, 0.5)).toBeCloseTo(56 / 1024, 14);
    expect(binomialUpperTail(0, 10, 0.5)).toBe(1);
    expect(binomialUpperTail(11, 10, 0.5)).toBe(0);
    expect([binomialMass(0, 5, 0), binomialMass(5, 5, 1), binomialMass(6, 5, 0.5)]).toEqual([1, 1, 0]);
    expect(binomialUpperTail(30, 100, 0.2)).toBeCloseTo(1 - regularizedBeta(0.8, 71, 30), 12);
  });
});

function sumOfLogs(from: number, to: number): number {
  let sum = 0;
  for (let n = from; n <= to; n += 1) sum += Math.log(n);
  return sum;
}
