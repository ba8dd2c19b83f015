import { beforeAll, describe, expect, it } from 'vitest';
import { cannotRun, reading } from '../sandbox/bwrap-support.js';
import { SCENES } from './made/index.js';
import { gateProblems, judgeScenes, type MadeRow, summariseScenes } from './made/judge.js';

const driver = reading.ok ? reading.driver : null;
const played = SCENES.filter(({ needsSandbox }) => driver !== null || !needsSandbox);
const left = SCENES.filter((scene) => !played.includes(scene));

describe('faults where HIGH is earned, beside near-twins where it is not', () => {
  let rows: readonly MadeRow[];

  beforeAll(async () => {
    rows = await judgeScenes(SCENES, driver);
  }, 120_000);

  it.each(played.map(({ name, honest, trap }) => [name, honest, trap ?? 'earned'] as const))(
    '%s: %s (%s)',
    (name, honest, trap) => {
      const row = rows.find((one) => one.name === name);
      expect(row).toMatchObject({ level: honest });
      if (trap === 'earned') expect(row).toMatchObject({ isRight: true, confidence: 0.95 });
    },
  );

  it.skipIf(driver === null).each(left.map(({ name }) => name))(`%s${cannotRun}`, (name) => {
    expect(rows.map((row) => row.name)).toContain(name);
  });

  it('every HIGH is right, and there are some; the rules alone claim none', () => {
    const summary = summariseScenes(rows);
    const earned = played.filter(({ honest }) => honest === 'high').length;
    expect(earned).toBeGreaterThanOrEqual(5);
    expect(summary).toMatchObject({
      atHigh: earned,
      rightAtHigh: earned,
      coverageAtHigh: 1,
      overclaims: 0,
      rulesAtHigh: 0,
      rulesOverclaims: 0,
    });
    expect(gateProblems(summary)).toEqual([]);
  });
});

describe('the gate', () => {
  const row: MadeRow = {
    name: 'x',
    trap: null,
    honest: 'high',
    rules: 'medium',
    rulesRight: true,
    rulesHonest: 'medium',
    level: 'high',
    confidence: 0.95,
    isRight: true,
    calls: 1,
    tokens: 1,
    seconds: 1,
  };
  const problems = (...rows: MadeRow[]): string[] => gateProblems(summariseScenes(rows));

  it.each<[string, MadeRow, string]>([
    ['no answer at HIGH', { ...row, level: 'medium', confidence: 0.8 }, 'no answer reached HIGH'],
    ['a wrong one', { ...row, isRight: false }, '1 of 1 answers at HIGH are wrong'],
    [
      'one that is not earned',
      { ...row, honest: 'medium', trap: 'stale' },
      '1 of 1 answers at HIGH are wrong',
    ],
    ['rules that claim HIGH', { ...row, rules: 'high' }, 'the rules alone claimed HIGH 1 times'],
  ])('does not let %s pass', (_what, bad, problem) => {
    expect(problems(bad).join()).toContain(problem);
  });

  it('lets what is earned pass', () => {
    expect(problems(row)).toEqual([]);
  });
});
