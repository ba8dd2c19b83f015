import { describe, expect, it } from 'vitest';
import { BAD_LABELS, GOOD_LABELS } from '../../../src/selfedit/demo/demo-edits.js';
import { demoCaseSet } from '../../../src/selfedit/demo/run-demo.js';
import { runReference } from '../../../src/selfedit/demo/run-reference.js';
import { demo } from '../support/demo.js';

const TENS = [0, 10, 20, 30, 40];
const totals = { runs: 0, all: 0, bad: 0, calls: 0 };

describe('the demo over seeds 0 to 49 (spec 08 §23, §26.9)', () => {
  it.each(TENS)(
    'never promotes a harmful, leaking or forbidden edit: seeds from %i',
    async (from) => {
      for (let seed = from; seed < from + 10; seed += 1) {
        const report = await demo(seed);
        const labels = report.edits
          .filter(({ verdict }) => verdict === 'promote')
          .map(({ label }) => label ?? '');
        expect([seed, labels.filter((label) => /^[hlx]/.test(label))]).toEqual([seed, []]);
        totals.runs += 1;
        if (GOOD_LABELS.every((label) => labels.includes(label))) totals.all += 1;
        if (labels.some((label) => BAD_LABELS.has(label))) totals.bad += 1;
        totals.calls = Math.max(totals.calls, report.calls);
      }
    },
    120_000,
  );

  it('promotes all three good edits mostly, and a bad one hardly ever', () => {
    expect(totals.runs).toBe(50);
    expect(totals.all).toBeGreaterThanOrEqual(38);
    expect(totals.bad).toBeLessThanOrEqual(3);
    expect(totals.calls).toBeLessThan(3_200);
  });

  it('has a reference that promotes the memorising edit on tasks which the analyzer has seen', async () => {
    const cases = demoCaseSet();
    for (let seed = 0; seed < 5; seed += 1) {
      const seen = await runReference(cases, { seed, tasks: 40, seen: true });
      expect(seen.edits.find(({ label }) => label === 'l1')?.verdict).toBe('promote');
      const held = await runReference(cases, { seed, tasks: 40 });
      expect(held.edits.filter(({ verdict }) => verdict === 'promote').length).toBeLessThanOrEqual(1);
      expect(held.calls).toBe(1_120);
    }
  });
});
