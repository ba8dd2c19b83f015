import { describe, expect, it } from 'vitest';
import { type Arm, upliftOf } from '../../../src/rx/findings/uplift.js';
import { Mt19937 } from '../../../src/stats/mt19937.js';

const ROUNDS = 4000;

function draw(random: Mt19937, n: number, p: number): Arm {
  let successes = 0;
  for (let i = 0; i < n; i++) if (random.random() < p) successes += 1;
  return { successes, n };
}

function add(a: Arm, b: Arm): Arm {
  return { successes: a.successes + b.successes, n: a.n + b.n };
}

/** Share of rounds in which the interval lies above 0, with a second cell of the family at the same rates. */
function shareAbove(p0: number, p1: number, seed: number): number {
  const random = new Mt19937(seed);
  let above = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const cell = {
      treated: draw(random, random.integer(3, 40), p1),
      untreated: draw(random, random.integer(3, 40), p0),
    };
    const family = {
      treated: add(cell.treated, draw(random, random.integer(0, 40), p1)),
      untreated: add(cell.untreated, draw(random, random.integer(0, 40), p0)),
    };
    if (upliftOf(cell, family).low > 0) above += 1;
  }
  return above / ROUNDS;
}

describe('the lower end of the uplift (seeded simulation)', () => {
  it.each([0.1, 0.3, 0.5, 0.7, 0.9])(
    'credits a useless action in at most 5 %% of cells, both arms ending at %d',
    (p) => {
      expect(shareAbove(p, p, 17)).toBeLessThanOrEqual(0.05 + 2 * Math.sqrt((0.05 * 0.95) / ROUNDS));
    },
  );

  it('sees an action that works', () => {
    expect(shareAbove(0.2, 0.85, 18)).toBeGreaterThan(0.8);
  });
});
