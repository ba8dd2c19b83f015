import { describe, expect, it } from 'vitest';
import { evaluate, summarise } from './evaluate.js';

describe('evaluations on the recordings', () => {
  it('nothing is claimed that the evidence does not hold', async () => {
    const rows = await evaluate();
    const summary = summarise(rows);
    expect(rows).toHaveLength(5);
    expect(summary).toMatchObject({
      typeAccuracy: 1,
      subjectAccuracy: 1,
      anchorAccuracy: 1,
      precisionAtHigh: 1,
      overclaims: 0,
      // The other one needs a model: only a literal of its log line leads to the source.
      coverageAtMedium: 0.5,
      referenceOverclaims: 3,
    });
    expect(summary.brier).toBeLessThan(0.3);
    expect(Math.max(...rows.map(({ seconds }) => seconds))).toBeLessThan(10);
  });
});
