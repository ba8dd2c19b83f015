import { describe, expect, it } from 'vitest';
import { DEFAULT_SELFEDIT_CONFIG } from '../../../src/selfedit/config/parse-config.js';
import {
  Confirmation,
  type ConfirmationVerdict,
  type PriorEvidence,
} from '../../../src/selfedit/gate/confirmation.js';
import { BettingEProcess } from '../../../src/stats/betting-e-process.js';
import { Mt19937 } from '../../../src/stats/mt19937.js';

const rules = DEFAULT_SELFEDIT_CONFIG;
const ALPHA = 0.02;

function logE(wins: number, losses: number): number {
  const process = new BettingEProcess();
  for (let i = 0; i < wins; i += 1) process.push(1);
  for (let i = 0; i < losses; i += 1) process.push(-1);
  return process.logE;
}

const priorOf = (wins: number, losses: number, hasPassed = false): PriorEvidence => ({
  logE: logE(wins, losses),
  wins,
  losses,
  n: 120,
  hasPassed,
});

/** The verdict on these δ, and the units it took. */
function judge(
  deltas: readonly number[],
  prior?: PriorEvidence,
): { verdict: ConfirmationVerdict | null; n: number } {
  const confirmation = new Confirmation({
    alpha: ALPHA,
    planned: deltas.length,
    rules,
    ...(prior && { prior }),
  });
  for (const delta of deltas) {
    if (confirmation.push({ delta, tried: 1, removed: 0 }) !== null) break;
  }
  return { verdict: confirmation.verdict, n: confirmation.n };
}

const units = (wins: number, losses: number, n: number): number[] =>
  Array.from({ length: n }, (_, i) => (i < wins ? 1 : i < wins + losses ? -1 : 0));

describe('an extension (spec 08 §24.10)', () => {
  it('passes when the product of the e-values reaches what the sequential part of the level asks for', () => {
    // E(8, 1) = 11.26; with E(5, 0) = 10.50 the product is 118, with E(7, 0) = 31.86 it is 359; 250 are needed.
    expect(judge(units(5, 0, 60), priorOf(8, 1)).verdict).toBe('inconclusive');
    expect(judge(units(7, 0, 60), priorOf(8, 1))).toEqual({ verdict: 'stat_pass', n: 20 });
    expect(judge(units(7, 0, 60), priorOf(0, 0)).verdict).toBe('inconclusive');
  });

  it('has no final part any more: what would do in a first test does not', () => {
    expect(judge(units(8, 0, 60)).verdict).toBe('stat_pass');
    expect(judge(units(8, 0, 60), priorOf(0, 0)).verdict).toBe('inconclusive');
  });

  it('asks for the effect over all pairs, and for enough fresh ones', () => {
    const thin = { ...priorOf(8, 1), n: 5_000 };
    expect(judge(units(7, 0, 60), thin).verdict).toBe('inconclusive');
    expect(judge(units(7, 0, 19), priorOf(8, 1)).verdict).toBe('inconclusive');
  });

  it('ends by harm and by futility of the fresh pairs', () => {
    expect(judge(units(0, 8, 60), priorOf(8, 1))).toEqual({ verdict: 'harm', n: 20 });
    expect(judge(units(2, 2, 120), priorOf(8, 1))).toEqual({ verdict: 'futile', n: 60 });
  });

  it('of a passed test runs to its end; only harm undoes the pass', () => {
    expect(judge(units(2, 2, 90), priorOf(20, 3, true))).toEqual({ verdict: 'stat_pass', n: 90 });
    expect(judge(units(0, 8, 90), priorOf(20, 3, true)).verdict).toBe('harm');
    expect(judge(units(0, 3, 90), priorOf(5, 3, true)).verdict).toBe('futile');
  });

  it('leaves an ordinary confirmation as it was', () => {
    expect(judge(units(11, 0, 60))).toEqual({ verdict: 'stat_pass', n: 20 });
    expect(judge(units(0, 0, 60)).verdict).toBe('futile');
  });

  it('keeps first test and extension together within the level: 3,000 null edits', () => {
    const random = new Mt19937(11);
    const draw = (n: number): number[] =>
      Array.from({ length: n }, () => {
        const u = random.random();
        return u < 0.1 ? 1 : u < 0.2 ? -1 : 0;
      });
    let passes = 0;
    let extended = 0;
    for (let edit = 0; edit < 3_000; edit += 1) {
      const deltas = draw(120);
      const { verdict } = judge(deltas);
      if (verdict === 'stat_pass') passes += 1;
      if (verdict !== 'inconclusive') continue;
      extended += 1;
      const [wins, losses] = [1, -1].map((sign) => deltas.filter((delta) => delta === sign).length);
      if (judge(draw(120), priorOf(wins ?? 0, losses ?? 0)).verdict === 'stat_pass') passes += 1;
    }
    expect(extended).toBeGreaterThan(500);
    expect(passes / 3_000).toBeLessThanOrEqual(ALPHA);
  });
});
