import { describe, expect, it } from 'vitest';
import type { Case } from '../../../src/selfedit/cases/case.js';
import { DEMO_CLASSES, demoFacts, SKILLS } from '../../../src/selfedit/demo/demo-cases.js';
import { type DemoEdit, demoEdits } from '../../../src/selfedit/demo/demo-edits.js';
import { chanceOf, demoExecutor, traitsOf } from '../../../src/selfedit/demo/demo-executor.js';
import { DEMO_PROMPT } from '../../../src/selfedit/demo/demo-prompt.js';
import { demoCaseSet } from '../../../src/selfedit/demo/run-demo.js';
import { uniform } from '../../../src/selfedit/hash.js';
import type { RunReport } from '../../../src/selfedit/loop/report.js';
import { applyEdit } from '../../../src/selfedit/prompt/edit.js';
import { tokensOf } from '../../../src/selfedit/prompt/tokens.js';
import { scoreRca } from '../../../src/selfedit/scorers/rca.js';
import { demo } from '../support/demo.js';

const cases = demoCaseSet();
const edits = new Map(demoEdits(0).map((edit) => [edit.label, edit]));

function withEdits(...labels: readonly string[]): string {
  return labels.reduce((text, label) => {
    const edit = edits.get(label) as DemoEdit;
    const applied = applyEdit(text, edit.ops(text, cases.dev));
    if (!applied.ok) throw new Error(`${label}: ${applied.problem}`);
    return applied.text;
  }, DEMO_PROMPT);
}

async function passes(prompt: string, seed: number, of: readonly Case[]): Promise<boolean[]> {
  const executor = demoExecutor(seed, 0);
  return Promise.all(
    of.map(async (one) => {
      const result = await executor.answer(prompt, one, 0);
      return result.ok && scoreRca(one, result.text).passed;
    }),
  );
}

async function rights(prompt: string, seed: number): Promise<number[]> {
  const parts = [cases.dev, cases.confirm, cases.audit];
  return Promise.all(parts.map(async (of) => (await passes(prompt, seed, of)).filter(Boolean).length));
}

async function winsAndLosses(prompt: string, seed: number, of: readonly Case[]): Promise<string> {
  const [before, after] = await Promise.all([passes(DEMO_PROMPT, seed, of), passes(prompt, seed, of)]);
  const wins = after.filter((pass, i) => pass && !before[i]).length;
  const losses = after.filter((pass, i) => !pass && before[i]).length;
  return `${wins}/${losses}`;
}

describe('the demo material (spec 08 §25)', () => {
  it('has the uniforms of the text', () => {
    expect(uniform('split|c000')).toBeCloseTo(0.704905111445, 12);
    expect(uniform('u|7|c000')).toBeCloseTo(0.74556947971, 12);
    expect(uniform('order|0|g1')).toBeCloseTo(0.121251852777, 12);
  });

  it('splits 320 cases as the text says', () => {
    expect([cases.dev.length, cases.confirm.length, cases.audit.length]).toEqual([95, 180, 45]);
    const perClass = (of: readonly Case[]) =>
      DEMO_CLASSES.map((name) => of.filter((one) => one.segment === name).length);
    expect(perClass(cases.dev)).toEqual([13, 12, 12, 11, 11, 18, 11, 7]);
    expect(perClass(cases.confirm)).toEqual([21, 22, 25, 26, 24, 16, 21, 25]);
    const needs = SKILLS.map(
      (skill) => cases.all.filter((one) => demoFacts(one.case_id).needs.includes(skill)).length,
    );
    expect(needs).toEqual([87, 104, 85]);
  });

  it('has case c002 as written', () => {
    const facts = demoFacts('c002');
    expect(facts).toMatchObject({ classIndex: 2, needs: ['earliest_event'] });
    expect(facts.difficulty).toBeCloseTo(-0.373719, 6);
    expect(chanceOf(traitsOf(DEMO_PROMPT), 'c002')).toBeCloseTo(0.41301, 6);
    expect(cases.dev.some((one) => one.case_id === 'c002')).toBe(true);
  });

  it('has a version 1 without traits, with room and a frozen block', () => {
    expect(traitsOf(DEMO_PROMPT)).toEqual(traitsOf(''));
    expect(DEMO_PROMPT.split('\n').length).toBeGreaterThanOrEqual(16);
    expect(tokensOf(DEMO_PROMPT).length).toBeGreaterThanOrEqual(200);
    expect(DEMO_PROMPT).toContain('<!-- frozen');
  });

  it.each([
    [[], 0.4401],
    [['g1'], 0.5412],
    [['g2'], 0.5626],
    [['g3'], 0.5416],
    [['g1', 'g2', 'g3'], 0.8095],
    [['n1', 'n2', 'n3'], 0.4401],
    [['h1'], 0.3631],
    [['h2'], 0.3101],
    [['h3'], 0.352],
    [['s1'], 0.4877],
  ])('has the true accuracy with %j: %f', (labels, accuracy) => {
    const traits = traitsOf(withEdits(...labels));
    const mean = cases.all.reduce((sum, one) => sum + chanceOf(traits, one.case_id), 0) / cases.all.length;
    expect(mean).toBeCloseTo(accuracy, 4);
  });

  it.each([
    [[], 0, [39, 86, 25]],
    [['g1'], 0, [53, 103, 32], '14/0', '17/0'],
    [['g2'], 0, [50, 106, 29], '11/0', '20/0'],
    [['g3'], 0, [49, 104, 30], '10/0', '18/0'],
    [['g1', 'g2', 'g3'], 0, [75, 147, 39]],
    [['h1'], 0, [35, 64, 22], '2/6', '3/25'],
    [['s1'], 0, [43, 96, 29], '11/7', '15/5'],
    [[], 7, [44, 78, 21]],
    [['g1'], 7, [52, 96, 24], '8/0', '18/0'],
    [['g2'], 7, [55, 103, 25], '11/0', '25/0'],
    [['g3'], 7, [48, 98, 29], '4/0', '20/0'],
    [['g1', 'g2', 'g3'], 7, [74, 152, 39]],
    [['h1'], 7, [35, 62, 19], '2/11', '4/20'],
    [['s1'], 7, [49, 87, 23], '8/3', '16/7'],
  ])(
    'churn 0: %j at seed %i is right %j times',
    async (labels, seed, right, dev?: string, confirm?: string) => {
      const prompt = withEdits(...labels);
      expect(await rights(prompt, seed)).toEqual(right);
      if (dev !== undefined) expect(await winsAndLosses(prompt, seed, cases.dev)).toBe(dev);
      if (confirm !== undefined) expect(await winsAndLosses(prompt, seed, cases.confirm)).toBe(confirm);
    },
  );
});

const promoted = (report: RunReport): string[] =>
  report.edits.filter(({ verdict }) => verdict === 'promote').map(({ label }) => label ?? '');
const verdictOf = (report: RunReport, label: string): string =>
  report.edits.find((edit) => edit.label === label)?.verdict ?? 'missing';

describe('the whole loop at churn 0 (spec 08 §25)', () => {
  it('orders the edits of seed 0', () => {
    expect(
      demoEdits(0)
        .map(({ label }) => label)
        .join(' '),
    ).toBe('h3 g1 s1 n1 n3 x2 n2 h2 g3 h1 g2 x1 x3 l1');
  });

  it.each([
    [0, ['g1', 'g3', 'g2'], 'futile', 4, 2435],
    [1, ['g3', 'g1', 'g2'], null, 3, 2315],
    [3, ['g3', 'g1', 'g2'], 'inconclusive', 4, 2675],
    [7, ['g3', 'g2', 'g1'], 'futile', 4, 2530],
  ])('seed %i promotes %j', async (seed, good, s1, confirmations, calls) => {
    const report = await demo(seed, { churn: 0 });
    expect(promoted(report)).toEqual(good);
    expect(report.edits.filter(({ confirm }) => confirm !== null)).toHaveLength(confirmations);
    expect(report.calls).toBe(calls);
    if (s1 !== null) expect(verdictOf(report, 's1')).toBe(s1);
    expect(report.end_version).toBe(4);
    for (const label of ['x1', 'x2', 'x3', 'l1']) expect(verdictOf(report, label)).toMatch(/^blocked_/);
  });

  it('calls a good but harmful trade-off a near miss', async () => {
    const report = await demo(3, { churn: 0 });
    const s1 = report.edits.find(({ label }) => label === 's1');
    expect(s1).toMatchObject({ decision: 'near_miss', verdict: 'inconclusive' });
    expect(s1?.confirm).toMatchObject({ wins: 15, losses: 6 });
  });
});
