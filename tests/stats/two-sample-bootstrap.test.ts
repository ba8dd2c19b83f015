import { describe, expect, it } from 'vitest';
import { Mt19937 } from '../../src/stats/mt19937.js';
import { bootstrapDifference } from '../../src/stats/two-sample-bootstrap.js';

function sample(random: Mt19937, n: number, centre: number): number[] {
  return Array.from({ length: n }, () => centre + random.uniform(-0.5, 0.5) + random.uniform(-0.5, 0.5));
}

describe('bootstrapDifference', () => {
  it('is a point for constant samples', () => {
    expect(bootstrapDifference([2, 2, 2], [5, 5], new Mt19937(1))).toEqual({ estimate: 3, low: 3, high: 3 });
  });

  it('has no answer without a sample', () => {
    expect(bootstrapDifference([], [1], new Mt19937(1))).toBeNull();
  });

  it('covers the true difference about as often as it says', () => {
    const random = new Mt19937(5);
    let covered = 0;
    const rounds = 60;
    for (let i = 0; i < rounds; i++) {
      const interval = bootstrapDifference(sample(random, 30, 0), sample(random, 20, 0.3), random);
      if (interval !== null && interval.low <= 0.3 && 0.3 <= interval.high) covered += 1;
    }
    expect(covered / rounds).toBeGreaterThan(0.85);
  });
});
