import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_SELFEDIT_CONFIG } from '../../../src/selfedit/config/parse-config.js';
import { Confirmation, type ConfirmationVerdict } from '../../../src/selfedit/gate/confirmation.js';
import {
  confirmationPower,
  fewestWins,
  ratesFromExpectation,
  ratesFromScreen,
} from '../../../src/selfedit/gate/power.js';
import { judgeSegments } from '../../../src/selfedit/gate/segments.js';
import { AlphaLedger } from '../../../src/stats/alpha-ledger.js';
import { BettingEProcess } from '../../../src/stats/betting-e-process.js';
import { Mt19937 } from '../../../src/stats/mt19937.js';
import { pairsForPower } from '../../../src/stats/power.js';
import { signTest } from '../../../src/stats/sign-test.js';

const rules = DEFAULT_SELFEDIT_CONFIG;

function evidence(deltas: readonly number[]): number {
  const process = new BettingEProcess();
  for (const delta of deltas) process.push(delta);
  return process.value;
}

const outcomes = (wins: number, losses: number): number[] => [
  ...Array<number>(wins).fill(1),
  ...Array<number>(losses).fill(-1),
];

describe('evidence and sign p (spec 08 §25)', () => {
  it.each([
    [5, 0, 10.498, 0.03125],
    [7, 0, 31.8635, 0.007812],
    [8, 0, 56.7513, 0.003906],
    [11, 0, 340.957, 0.000488],
    [8, 1, 11.2624, 0.019531],
    [10, 3, 3.9747, 0.046143],
    [15, 5, 6.3558, 0.020695],
    [18, 3, 143.284, 0.000745],
    [4, 1, 1.9005, 0.1875],
    [3, 3, 0.4571, 0.65625],
    [0, 5, 0.1665, 1],
    [0, 0, 1, 1],
  ])('of %i wins and %i losses', (wins, losses, e, p) => {
    expect(evidence(outcomes(wins, losses))).toBeCloseTo(e, e > 100 ? 3 : 4);
    expect(signTest(wins, losses)).toBeCloseTo(p, 6);
  });

  it('of fractional outcomes', () => {
    expect(evidence([0.5, -0.25, 1, 0, 0.75, 1, -0.5])).toBeCloseTo(2.519218, 6);
  });

  it.each([
    [0.05, 7],
    [0.02, 8],
    [0.01, 9],
    [0.005, 11],
    [0.001, 13],
  ])('reaches 1/%f with %i clean wins', (alpha, wins) => {
    expect(evidence(outcomes(wins, 0))).toBeGreaterThanOrEqual(1 / alpha);
    expect(evidence(outcomes(wins - 1, 0))).toBeLessThan(1 / alpha);
  });

  it('passes levels on after a promotion', () => {
    const ledger = new AlphaLedger(0.1, 5);
    const levels = (['not_promoted', 'promoted', 'promoted', 'not_promoted', 'not_promoted'] as const).map(
      (outcome) => {
        const level = ledger.next;
        ledger.settle(outcome);
        return level;
      },
    );
    expect(levels.map((level) => Number(level?.toFixed(10)))).toEqual([0.02, 0.02, 0.04, 0.06, 0.02]);
  });
});

describe('power before spending (spec 08 §24.3)', () => {
  it.each([
    [0.02, 6],
    [0.04, 5],
    [0.01, 7],
  ])('at level %f needs %i wins at least', (alpha, wins) => {
    expect(fewestWins(alpha, 0.2)).toBe(wins);
  });

  it.each([
    [3, 0, 0.248],
    [5, 0, 0.591],
    [8, 0, 0.916],
    [11, 7, 0.134],
  ])('after a screen of %i/%i', (wins, losses, power) => {
    expect(confirmationPower(ratesFromScreen(wins, losses, 95), 180, 0.02, 0.2)).toBeCloseTo(power, 3);
  });

  it('assumes one win at least before a screen', () => {
    expect(ratesFromExpectation(0, 95)).toEqual({ fixed: 1 / 95, broken: 0 });
    expect(ratesFromExpectation(4, 0).fixed).toBe(0);
  });

  it.each([
    [0.05, 0, [134, 134, 157, 180]],
    [0.08, 0.03, [293, 343, 411, 483]],
    [0.1, 0, [66, 66, 78, 90]],
    [0.12, 0.02, [94, 108, 128, 148]],
    [0.15, 0.05, [134, 154, 187, 220]],
    [0.154, 0.038, [95, 108, 132, 155]],
    [0.18, 0.03, [63, 72, 85, 99]],
    [0.25, 0.05, [50, 57, 68, 80]],
  ])('wants cases for f %f, b %f', (f, b, cases) => {
    expect([0.05, 0.032, 0.016, 0.008].map((level) => pairsForPower(f, b, level))).toEqual(cases);
  });
});

function run(
  deltas: readonly (number | null)[],
  { alpha = 0.02, planned = deltas.length } = {},
): { verdict: ConfirmationVerdict | null; at: number; confirmation: Confirmation } {
  const confirmation = new Confirmation({ alpha, planned, rules });
  for (const [index, delta] of deltas.entries()) {
    const verdict = confirmation.push({ delta, tried: 1, removed: delta === null ? 1 : 0 });
    if (verdict !== null) return { verdict, at: index + 1, confirmation };
  }
  return { verdict: null, at: deltas.length, confirmation };
}

const spread = (n: number, wins: number, losses: number): number[] => {
  const list = [...outcomes(wins, losses), ...Array<number>(n - wins - losses).fill(0)];
  return new Mt19937(1).shuffle(list);
};

describe('a confirmation', () => {
  it('passes early, but only at a look', () => {
    const { verdict, at } = run([...Array<number>(12).fill(1), ...Array<number>(108).fill(0)]);
    expect({ verdict, at }).toEqual({ verdict: 'stat_pass', at: 20 });
  });

  it('is not held up by what happens between looks', () => {
    const early = [...outcomes(0, 18), ...outcomes(2, 0)];
    expect(run(early, { planned: 120 }).verdict).toBe('harm');
    expect(run(early.slice(0, 19), { planned: 120 }).verdict).toBeNull();
  });

  it('passes at the last planned case by the exact test', () => {
    const zeros = Array<number>(113).fill(0);
    expect(run([1, ...zeros, ...outcomes(6, 0)]).verdict).toBe('stat_pass');
    expect(run([1, ...zeros, ...outcomes(5, 1)]).verdict).toBe('inconclusive');
  });

  it('does not pass below the smallest effect worth having', () => {
    const list = [...Array<number>(493).fill(0), ...outcomes(7, 0)];
    expect(run(list).verdict).toBe('futile');
    const late = [...outcomes(1, 0), ...Array<number>(493).fill(0), ...outcomes(6, 0)];
    expect(run(late).verdict).toBe('inconclusive');
  });

  it('gives up without net wins from 60 pairs on', () => {
    expect(run(spread(120, 4, 4), { planned: 120 })).toMatchObject({
      verdict: 'futile',
      at: expect.any(Number),
    });
    const { at } = run(Array<number>(120).fill(0));
    expect(at).toBe(60);
  });

  it('is void when its first look finds too many errors, spent at a later one', () => {
    const bad = [...Array<null>(3).fill(null), ...Array<number>(20).fill(0)];
    const first = run(bad, { planned: 120 });
    expect(first).toMatchObject({ verdict: 'invalid_run', at: 23 });
    expect(first.confirmation.isVoid).toBe(true);
    const later = run(
      [...Array<number>(20).fill(0), ...Array<null>(4).fill(null), ...Array<number>(10).fill(0)],
      {
        planned: 120,
      },
    );
    expect(later.verdict).toBe('invalid_run');
    expect(later.confirmation.isVoid).toBe(false);
  });

  it('takes a tenth of errors', () => {
    const list = [null, null, ...Array<number>(20).fill(0), ...Array<number>(40).fill(0)];
    expect(run(list, { planned: 120 }).verdict).toBe('futile');
  });

  it('refuses units after its verdict', () => {
    const { confirmation } = run(Array<number>(120).fill(0));
    expect(() => confirmation.push({ delta: 0, tried: 1, removed: 0 })).toThrow(RangeError);
  });

  it('always ends at the last planned unit, and asks for no more than that', () => {
    const unit = fc.constantFrom(-1, -0.5, 0, 0, 0.5, 1, null);
    fc.assert(
      fc.property(fc.array(unit, { minLength: 1, maxLength: 150 }), (list) => {
        const confirmation = new Confirmation({ alpha: 0.02, planned: list.length, rules });
        let used = 0;
        while (confirmation.verdict === null) {
          const ask = confirmation.unitsToLook;
          expect(ask).toBeGreaterThan(0);
          for (const delta of list.slice(used, used + ask)) {
            expect(confirmation.verdict).toBeNull();
            confirmation.push({ delta, tried: 1, removed: delta === null ? 1 : 0 });
          }
          used += ask;
        }
        expect(used).toBeLessThanOrEqual(list.length);
      }),
      { numRuns: 200 },
    );
  });
});

/** Pass rate of seeded confirmations with given flip rates. */
function passRate(runs: number, n: number, fixed: number, broken: number, seed: number): number {
  const random = new Mt19937(seed);
  let passes = 0;
  for (let i = 0; i < runs; i += 1) {
    const confirmation = new Confirmation({ alpha: 0.02, planned: n, rules });
    while (confirmation.verdict === null) {
      const u = random.random();
      const delta = u < fixed ? 1 : u < fixed + broken ? -1 : 0;
      confirmation.push({ delta, tried: 1, removed: 0 });
    }
    if (confirmation.verdict === 'stat_pass') passes += 1;
  }
  return passes / runs;
}

describe('calibration (spec 08 §26.2)', () => {
  it('passes at most 2 % of null edits', () => {
    expect(passRate(2000, 120, 0.05, 0.05, 11)).toBeLessThanOrEqual(0.02);
  });

  it('passes at least 88 % of the field edit', () => {
    expect(passRate(1000, 180, 0.154, 0.038, 12)).toBeGreaterThanOrEqual(0.88);
  });

  it('never passes an edit that harms', () => {
    expect(passRate(500, 180, 0.05, 0.25, 13)).toBe(0);
  });
});

describe('segments (spec 08 §24.6)', () => {
  const results = (segment: string, wins: number, losses: number, n = 20) =>
    [...outcomes(wins, losses), ...Array<number>(n - wins - losses).fill(0)].map((delta) => ({
      segment,
      delta,
    }));

  it.each([
    ['two losses', 0, 2, 'blocked'],
    ['one loss', 0, 1, 'ok'],
    ['five against seven', 5, 7, 'ok'],
    ['one against four', 1, 4, 'blocked'],
  ])('%s', (_what, wins, losses, status) => {
    expect(judgeSegments(results('server_error', wins, losses), rules)[0]?.status).toBe(status);
  });

  it('blocks any net loss of a critical one, and only warns of a small one', () => {
    expect(judgeSegments(results('crash_loop', 2, 3), rules)[0]?.status).toBe('blocked');
    expect(judgeSegments(results('crash_loop', 3, 3), rules)[0]?.status).toBe('ok');
    expect(judgeSegments(results('crash_loop', 0, 3, 7), rules)[0]?.status).toBe('too_few');
  });
});
