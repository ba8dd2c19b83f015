import { describe, expect, it } from 'vitest';
import { fitExplorer } from '../../../src/rx/learner/explorer.js';
import { Mt19937 } from '../../../src/stats/mt19937.js';

const planner = [10, 10, 0.8, 10, 1, 1, 1, 1, 0, 0, 0];
const navigator = [8, 7, 0.1, 8, 1, 1, 1.5, 0, 1, 0, 0];

describe('fitExplorer', () => {
  it('knows no gain and gives everything a bonus at first', () => {
    const fresh = fitExplorer([]);
    expect(fresh.score(planner)).toBe(fresh.bonus(planner));
    expect(fresh.bonus(planner)).toBeGreaterThan(0);
  });

  it('has the bonus 0.02·‖z‖ before the first outcome', () => {
    const z = [1, 10 / 15, 0.8, 10 / 13, 1, 1, 1 / 3, 1, 0, 0, 0, 1];
    expect(fitExplorer([]).bonus(planner)).toBeCloseTo(
      0.02 * Math.sqrt(z.reduce((sum, x) => sum + x * x, 0)),
      12,
    );
  });

  it('loses interest in what was tried, less so in the rest', () => {
    const log = Array.from({ length: 20 }, () => ({ features: planner, gain: 0.1 }));
    const explorer = fitExplorer(log);
    expect(explorer.bonus(planner)).toBeLessThan(fitExplorer([]).bonus(planner) / 4);
    expect(explorer.bonus(navigator)).toBeGreaterThan(explorer.bonus(planner));
  });

  it('learns which incident is worth more', () => {
    const random = new Mt19937(4);
    const log = Array.from({ length: 40 }, (_, i) => ({
      features: i % 2 === 0 ? planner : navigator,
      gain: (i % 2 === 0 ? 0.02 : 0.12) + random.uniform(-0.01, 0.01),
    }));
    const explorer = fitExplorer(log);
    expect(explorer.score(navigator)).toBeGreaterThan(explorer.score(planner));
    expect(explorer.score(navigator) - explorer.bonus(navigator)).toBeCloseTo(0.12, 1);
  });
});
