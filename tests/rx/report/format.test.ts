import { describe, expect, it } from 'vitest';
import { fixed, percent, pValue, signedPercent } from '../../../src/rx/report/format.js';

describe('fixed', () => {
  it.each([
    [12.5, 0, '12'],
    [13.5, 0, '14'],
    [0.125, 2, '0.12'],
    [0.375, 2, '0.38'],
    [-2.5, 0, '-2'],
    [2.675, 2, '2.67'],
    [1.005, 2, '1.00'],
    [0, 1, '0.0'],
    [-0.0004, 0, '-0'],
  ])('rounds %d to %i decimals as Python does', (value, decimals, expected) => {
    expect(fixed(value, decimals)).toBe(expected);
  });
});

describe('percent', () => {
  it('rounds 0.125 to the even percent', () => {
    expect(percent(0.125)).toBe('12%');
  });

  it('shows a tiny loss as −0 %', () => {
    expect(signedPercent(-0.0028)).toBe('-0%');
  });

  it('marks a gain', () => {
    expect(signedPercent(0.333, 1)).toBe('+33.3%');
  });
});

describe('pValue', () => {
  it.each([
    [0.04, '0.040'],
    [1, '1.000'],
    [0, '0.000'],
    [4.4e-10, '4.4e-10'],
  ])('shows %d as %s', (p, expected) => {
    expect(pValue(p)).toBe(expected);
  });
});
