import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AlphaLedger, type LedgerOutcome, openEndedAlpha } from '../../src/stats/alpha-ledger.js';
import { Mt19937 } from '../../src/stats/mt19937.js';
import { benjaminiHochberg, eBenjaminiHochberg, holm, holmAdjusted } from '../../src/stats/multiplicity.js';

const levels = (alpha: number, tests: number, outcomes: readonly LedgerOutcome[]): number[] =>
  new AlphaLedger(alpha, tests, outcomes).rows.map((row) => row.alpha);

describe('alpha ledger', () => {
  it('recycles the level of a promoted test, whole, into the next one', () => {
    const outcomes = ['not_promoted', 'promoted', 'promoted', 'not_promoted', 'not_promoted'] as const;
    levels(0.1, 5, outcomes).forEach((alpha, i) => {
      expect(alpha).toBeCloseTo([0.02, 0.02, 0.04, 0.06, 0.02][i] ?? Number.NaN, 15);
    });
    expect(levels(0.05, 8, ['promoted', 'promoted', 'promoted', 'promoted', 'not_promoted'])).toEqual([
      0.00625, 0.0125, 0.018750000000000003, 0.025, 0.03125,
    ]);
  });

  it('gives the level of a void test back, carry included', () => {
    expect(levels(0.1, 2, ['promoted', 'void', 'not_promoted'])).toEqual([0.05, 0.1, 0.1]);
  });

  it('ends after K tests', () => {
    const ledger = new AlphaLedger(0.05, 1, ['promoted']);
    expect(ledger.next).toBeNull();
    expect(() => ledger.settle('promoted')).toThrow(RangeError);
    expect(() => new AlphaLedger(0, 1)).toThrow(RangeError);
    expect(() => new AlphaLedger(0.05, 0)).toThrow(RangeError);
  });

  it('never hands out more than alpha to tests that did not promote', () => {
    const outcome = fc.constantFrom<LedgerOutcome>('promoted', 'not_promoted', 'void');
    fc.assert(
      fc.property(fc.array(outcome, { maxLength: 12 }), (outcomes) => {
        const rows = new AlphaLedger(0.05, 12, outcomes).rows;
        const spent = rows
          .filter((row) => row.outcome === 'not_promoted')
          .reduce((sum, row) => sum + row.alpha, 0);
        expect(spent).toBeLessThanOrEqual(0.05 + 1e-12);
      }),
    );
  });

  it('keeps the family-wise error of null tests below alpha: seeded simulation', () => {
    const random = new Mt19937(3);
    let wrong = 0;
    for (let run = 0; run < 4000; run += 1) wrong += anyFalsePromotion(random) ? 1 : 0;
    expect(wrong / 4000).toBeLessThan(0.05 + 4 * Math.sqrt((0.05 * 0.95) / 4000));
    expect(wrong / 4000).toBeGreaterThan(0.03);
  });

  it('sums to alpha when the number of tests is open', () => {
    expect(openEndedAlpha(0.05, 1)).toBeCloseTo(0.0303963550927, 12);
    let sum = 0;
    for (let k = 1; k <= 100_000; k += 1) sum += openEndedAlpha(0.05, k);
    expect(sum).toBeGreaterThan(0.04999);
    expect(sum).toBeLessThan(0.05);
  });
});

describe('many tests at once', () => {
  const p = [0.01, 0.04, 0.03, 0.005];

  it('Holm steps down', () => {
    holmAdjusted(p).forEach((value, i) => {
      expect(value).toBeCloseTo([0.03, 0.06, 0.06, 0.02][i] ?? Number.NaN, 12);
    });
    expect(holm(p, 0.05)).toEqual([true, false, false, true]);
    expect(holm([], 0.05)).toEqual([]);
  });

  it('Benjamini–Hochberg steps up', () => {
    expect(benjaminiHochberg(p, 0.05)).toEqual([true, true, true, true]);
    expect(benjaminiHochberg([0.2, 0.011, 0.9, 0.012], 0.05)).toEqual([false, true, false, true]);
    expect(benjaminiHochberg([0.5, 0.6], 0.05)).toEqual([false, false]);
  });

  it('does the same with e-values', () => {
    const logs = [10, 100, 39, 1].map(Math.log);
    expect(eBenjaminiHochberg(logs, 0.05)).toEqual([false, true, false, false]);
    expect(eBenjaminiHochberg([40, 100, 41, 1].map(Math.log), 0.05)).toEqual([true, true, true, false]);
  });

  it('rejects at least what Bonferroni rejects and at most what Benjamini–Hochberg does', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 }), (values) => {
        const byHolm = holm(values, 0.05);
        const byBh = benjaminiHochberg(values, 0.05);
        return values.every((value, i) => {
          const bonferroni = value <= 0.05 / values.length;
          return (!bonferroni || byHolm[i]) && (!byHolm[i] || byBh[i]);
        });
      }),
    );
  });

  it('Holm holds the family-wise error, Benjamini–Hochberg the false-discovery rate: seeded simulation', () => {
    const random = new Mt19937(11);
    let family = 0;
    let discoveries = 0;
    for (let run = 0; run < 3000; run += 1) {
      const nulls = Array.from({ length: 6 }, () => random.random());
      const values = [...nulls, 1e-6, 1e-6];
      if (holm(values, 0.05).slice(0, 6).some(Boolean)) family += 1;
      const flags = benjaminiHochberg(values, 0.05);
      const wrong = flags.slice(0, 6).filter(Boolean).length;
      discoveries += wrong / Math.max(1, flags.filter(Boolean).length);
    }
    expect(family / 3000).toBeLessThan(0.065);
    expect(discoveries / 3000).toBeLessThan(0.065);
    expect(family).toBeGreaterThan(0);
  });
});

function anyFalsePromotion(random: Mt19937): boolean {
  const ledger = new AlphaLedger(0.05, 8);
  for (let level = ledger.next; level !== null; level = ledger.next) {
    if (random.random() <= level) return true;
    ledger.settle('not_promoted');
  }
  return false;
}
