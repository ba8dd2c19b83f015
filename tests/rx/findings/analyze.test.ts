import { describe, expect, it } from 'vitest';
import { analyzeFindings } from '../../../src/rx/findings/analyze.js';
import { classOf, FAMILIES } from '../../../src/rx/findings/families.js';
import { FINDING_FEATURE_NAMES } from '../../../src/rx/findings/pattern-features.js';
import { armOf, upliftOf } from '../../../src/rx/findings/uplift.js';
import { upliftTable } from '../../../src/rx/findings/uplift-table.js';
import { finding, session } from './rows.js';

const sweep = { family: 'sweep' };
const high = { severity: 'high' } as const;

async function workedSessions() {
  const s1 = await session(
    's1',
    [
      finding('repeated_failure', sweep, 3),
      finding('disk_pressure', { mount: '/data' }, 4),
      finding('repeated_failure', sweep, 8, { ...high, hard: 'prune_branch' }),
      finding('disk_pressure', { mount: '/data' }, 9),
      finding('local_server_unreachable', { url: 'http://h:8000/' }, 12, { ...high, hard: 'delegate' }),
      finding('disk_pressure', { mount: '/data' }, 14),
      finding('disk_pressure', { mount: '/data' }, 30),
    ],
    40,
  );
  const s2 = await session(
    's2',
    [
      finding('repeated_failure', sweep, 6, { ...high, hard: 'prune_branch' }),
      finding('repeated_failure', sweep, 11, { ...high, hard: 'prune_branch' }),
      finding('local_server_unreachable', { url: 'http://h:9000/' }, 18, { ...high, hard: 'delegate' }),
    ],
    20,
  );
  return [s1, s2];
}

describe('the worked example of two sessions (06 G.15)', async () => {
  const sessions = await workedSessions();
  const analysis = analyzeFindings(sessions);
  const pattern = (start: string) => analysis.patterns.find((one) => one.pattern.startsWith(start));
  const episodes = (start: string) =>
    sessions
      .flatMap((one) => one.episodes)
      .filter(({ episode }) => episode.symptom === start)
      .map(({ episode, label }) => [
        episode.start,
        episode.last,
        episode.acted?.tick ?? null,
        episode.outcome,
        label.y,
      ]);

  it('cuts and labels repeated_failure', () => {
    expect(episodes('repeated_failure')).toEqual([
      [3, 8, 8, 'ceased', 1],
      [6, 11, 6, 'censored', 0],
    ]);
  });

  it('cuts disk_pressure into two episodes that ceased, and compares from the first emission', () => {
    expect(episodes('disk_pressure')).toEqual([
      [4, 14, null, 'ceased', 0],
      [30, 30, null, 'ceased', 1],
    ]);
  });

  it('leaves the censored local_server_unreachable without a label', () => {
    expect(episodes('local_server_unreachable')).toEqual([
      [12, 12, 12, 'ceased', 1],
      [18, 18, 18, 'censored', null],
    ]);
  });

  it.each([
    ['repeated_failure', [10, 10, 2 / 3, 10, 0.4, 1, 2.5, 0, 1, 0.5, 2]],
    ['disk_pressure', [10, 6, 0.75, 7.6, 0.4, 0.5, 7.5, 0, 0, 0, 2]],
    ['local_server_unreachable', [10, 10, 2 / 3, 10, 0.4, 1, 2.5, 0, 1, 0, 1]],
  ])('computes the features of %s', (name, expected) => {
    const features = pattern(name)?.features.slice(0, 11) ?? [];
    expect(features.map((value) => value.toFixed(9))).toEqual(expected.map((value) => value.toFixed(9)));
  });

  it.each([
    ['repeated_failure', 0.684615],
    ['disk_pressure', 0.487308],
    ['local_server_unreachable', 0.684615],
  ])('ranks %s with the prior %d', (name, expected) => {
    expect(pattern(name)?.priority).toBeCloseTo(expected, 6);
    expect(analysis.regime).toBe('heuristic');
  });

  it('joins the servers of both sessions although their ports differ', () => {
    expect(pattern('local_server_unreachable')).toMatchObject({ sessions: 2, episodes: 2 });
  });

  it('names the 22 features', () => {
    expect(FINDING_FEATURE_NAMES).toHaveLength(22);
    expect(pattern('disk_pressure')?.features).toHaveLength(22);
    expect(pattern('disk_pressure')?.features[11 + FAMILIES.indexOf('host')]).toBe(1);
  });
});

describe('uplift', () => {
  it('computes the worked example (06 G.16)', () => {
    const uplift = upliftOf(
      { treated: { successes: 3, n: 4 }, untreated: { successes: 1, n: 5 } },
      { treated: { successes: 5, n: 8 }, untreated: { successes: 2, n: 9 } },
    );
    expect(uplift.p1).toBeCloseTo(0.64, 9);
    expect(uplift.p0).toBeCloseTo(0.280992, 6);
    expect(uplift.uplift).toBeCloseTo(0.359008, 6);
    expect(uplift.low).toBeCloseTo(0.039261, 6);
    expect(uplift.high).toBeCloseTo(0.678756, 6);
  });

  it('weighs by inverse propensity, and equal weights change nothing', () => {
    const plain = armOf([1, 0, 1, 1].map((y) => ({ y: y === 1 ? 1 : 0, weight: 1 })));
    expect(plain).toEqual({ successes: 3, n: 4 });
    expect(armOf([1, 0, 1, 1].map((y) => ({ y: y === 1 ? 1 : 0, weight: 10 })))).toEqual(plain);
    const unequal = armOf([
      { y: 1, weight: 3 },
      { y: 0, weight: 1 },
    ]);
    expect(unequal.successes / unequal.n).toBeCloseTo(0.75, 12);
    expect(unequal.n).toBeCloseTo(1.6, 12);
  });

  it('says when an arm of a cell is empty', async () => {
    const cells = upliftTable((await workedSessions()).flatMap((one) => one.episodes));
    expect(cells.map((cell) => [cell.pattern, cell.overlap])).toContainEqual([
      'repeated_failure {family=sweep}',
      false,
    ]);
  });

  it('uses only the held-back experiment where there is one', async () => {
    const held = { propensity: 0.25, held: true };
    const sent = { propensity: 0.25, held: false };
    const only = await session(
      's',
      [
        finding('local_server_unreachable', { url: 'a' }, 5, { ...high, holdback: held }),
        finding('local_server_unreachable', { url: 'a' }, 30, { ...high, hard: 'delegate', holdback: sent }),
        finding('local_server_unreachable', { url: 'a' }, 60, { ...high, hard: 'delegate' }),
      ],
      90,
    );
    const [cell] = upliftTable(only.episodes);
    expect(cell).toMatchObject({ randomised: true, treated: { n: 1 }, untreated: { n: 1 } });
  });
});

describe('classOf', () => {
  it('knows the kinds of the table and treats unknown names as levels', () => {
    expect(classOf('repeated_failure')).toEqual({ family: 'branch', kind: 'G' });
    expect(classOf('deadline_warning')).toEqual({ family: 'budget', kind: 'M' });
    expect(classOf('amdahl_kernel_ceiling_low')).toEqual({ family: 'kernel', kind: 'O' });
    expect(classOf('something_new')).toEqual({ family: null, kind: 'L' });
  });
});
