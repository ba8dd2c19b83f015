import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { looseNumber } from '../../src/foreign/loose-number.js';

describe('a number that may be text', () => {
  it.each([
    [7, 7],
    [' 4e1 ', 40],
    ['+5', 5],
    ['.5', 0.5],
    ['5.', 5],
    ['-1.5E-3', -0.0015],
  ])('%j is %d', (value, number) => {
    expect(looseNumber(value)).toBe(number);
  });

  it.each([true, null, undefined, '', ' ', '0x10', '1,5', '1_000', 'nan', 'inf', '1e999', '٣', [1], {}])(
    '%j is none',
    (value) => {
      expect(looseNumber(value)).toBeUndefined();
    },
  );

  it('reads what numbers print as, and never anything that is not finite', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(looseNumber(String(number))).toBe(number + 0);
      }),
    );
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const number = looseNumber(value);
        expect(number === undefined || Number.isFinite(number)).toBe(true);
      }),
    );
  });

  it('does not spend time on long texts', () => {
    expect(looseNumber('1'.repeat(1_000_000))).toBeUndefined();
  });
});
