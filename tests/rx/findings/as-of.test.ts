import { describe, expect, it } from 'vitest';
import { figuresAsOf, viewAt } from '../../../src/rx/findings/as-of.js';
import { patternFigures } from '../../../src/rx/findings/pattern-features.js';
import { Mt19937 } from '../../../src/stats/mt19937.js';
import { finding, session } from './rows.js';

/** Random sessions of one pattern, one after the other. */
async function sessions(n: number) {
  const random = new Mt19937(3);
  return Promise.all(
    Array.from({ length: n }, (_, i) => {
      const rows = [];
      for (let tick = 1; tick < 120; tick += random.integer(5, 25)) {
        const severity = random.random() < 0.5 ? 'medium' : 'high';
        const patch = { severity, time: i * 10_000 + tick * 60 } as const;
        rows.push(
          finding(
            'disk_pressure',
            { mount: '/' },
            tick,
            severity === 'high' ? { ...patch, hard: 'delegate' } : patch,
          ),
        );
      }
      return session(`s${i}`, rows, 130);
    }),
  );
}

describe('figuresAsOf', async () => {
  const all = await sessions(8);
  const episodes = all.flatMap((one) => one.episodes);
  const figures = figuresAsOf(episodes, all);

  it('equals what a look at the record up to that moment gives', () => {
    for (const [i, labelled] of episodes.entries()) {
      const time = labelled.label.from.timestamp;
      const views = episodes.flatMap((one) => viewAt(one, time) ?? []);
      const begun = all.filter((one) => one.started_unix <= time).length;
      const expected = patternFigures(views, { most_episodes: views.length, sessions: begun });
      expect(figures[i]).toEqual({
        ...expected,
        severity_weight: expect.closeTo(expected.severity_weight, 9),
      });
    }
  });

  it('knows nothing of later episodes', () => {
    const first = [...episodes].sort((a, b) => a.label.from.timestamp - b.label.from.timestamp)[0];
    const index = first === undefined ? -1 : episodes.indexOf(first);
    expect(figures[index]).toMatchObject({ confidence: 0.2, recovery_rate: 0.5, run_coverage: 1 });
  });
});
