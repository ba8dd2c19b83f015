import { describe, expect, it } from 'vitest';
import { judgeLive } from '../../../src/selfedit/live/live-guard.js';
import { Mt19937 } from '../../../src/stats/mt19937.js';

const rules = { shadow_min: 30, live_harm_evalue: 20, live_margin: 0.03 };
const flips = (random: Mt19937, n: number, rate: number): boolean[] =>
  Array.from({ length: n }, () => random.random() < rate);
const before = [...Array<boolean>(160).fill(true), ...Array<boolean>(40).fill(false)];

/** Share of seeded streams in which harm was seen within so many outcomes. */
function alarms(rate: number, within: number, runs = 400): number {
  const random = new Mt19937(5);
  let count = 0;
  for (let i = 0; i < runs; i += 1)
    if (judgeLive(before, flips(random, within, rate), rules).kind === 'harm') count += 1;
  return count / runs;
}

describe('live outcomes (spec 08 §24.10)', () => {
  it('say nothing without thirty outcomes of the version before', () => {
    expect(judgeLive(before.slice(0, 29), [], rules)).toEqual({ kind: 'unknown', have: 29, need: 30 });
  });

  it('rarely raise a false alarm', () => {
    expect(alarms(0.8, 400)).toBeLessThanOrEqual(0.03);
    expect(alarms(0.77, 400)).toBeLessThanOrEqual(0.05);
  });

  it('catch a drop', () => {
    expect(alarms(0.6, 50)).toBeGreaterThan(0.52);
    expect(alarms(0.6, 100)).toBeGreaterThan(0.82);
    expect(alarms(0.6, 200)).toBeGreaterThan(0.98);
    expect(alarms(0.5, 50)).toBeGreaterThan(0.9);
  });

  it('look at the last two hundred of the version before', () => {
    const improved = [...Array<boolean>(500).fill(false), ...before];
    expect(judgeLive(improved, [], rules)).toMatchObject({ kind: 'ok', floor: 0.77 });
  });
});
