import { describe, expect, it } from 'vitest';
import {
  FINAL_SHARE,
  fewestDiscordantPairs,
  pairsForPower,
  signTestPower,
  winsNeeded,
} from '../../src/stats/power.js';
import { signTest } from '../../src/stats/sign-test.js';

describe('power of the sign test', () => {
  it.each([
    [0.02, 6],
    [0.04, 5],
    [0.01, 7],
  ])('needs at level %d at least %d discordant pairs', (alpha, pairs) => {
    expect(fewestDiscordantPairs(FINAL_SHARE * alpha)).toBe(pairs);
  });

  it('takes a level that is a power of two as reached', () => {
    expect(fewestDiscordantPairs(1 / 32)).toBe(5);
  });

  it('finds the smallest significant number of wins', () => {
    for (const d of [6, 9, 20, 57]) {
      const k = winsNeeded(d, 0.016);
      expect(k).not.toBeNull();
      expect(signTest(k ?? 0, d - (k ?? 0))).toBeLessThanOrEqual(0.016);
      expect(signTest((k ?? 0) - 1, d - (k ?? 0) + 1)).toBeGreaterThan(0.016);
    }
    expect(winsNeeded(5, 0.016)).toBeNull();
  });

  it.each([
    [3, 0, 0.248],
    [5, 0, 0.591],
    [8, 0, 0.916],
    [11, 7, 0.134],
  ])('plans a screen of %d wins and %d losses at power %d', (wins, losses, power) => {
    const f = (wins + 1) / 99;
    const b = (losses + 1) / 99;
    expect(signTestPower(180, f, b, FINAL_SHARE * 0.02)).toBeCloseTo(power, 3);
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
  ])('needs for f = %d, b = %d the cases %j', (f, b, cases) => {
    expect([0.05, 0.032, 0.016, 0.008].map((level) => pairsForPower(f, b, level))).toEqual(cases);
  });

  it('is zero without any change and null beyond the limit', () => {
    expect(signTestPower(100, 0, 0, 0.05)).toBe(0);
    expect(pairsForPower(0.01, 0.01, 0.05, 0.8, 200)).toBeNull();
  });
});
