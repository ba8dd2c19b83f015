import { describe, expect, it } from 'vitest';
import { frozenContent, frozenSections } from '../../../src/selfedit/prompt/frozen.js';
import { diffCounts } from '../../../src/selfedit/prompt/line-diff.js';
import { type ReferenceGateInput, referenceGate } from '../../../src/selfedit/reference/gate.js';
import { frozenViolations, lexicalDrift, oracleDrift } from '../../../src/selfedit/reference/guards.js';
import { pooledPermutationP, relativeEffect } from '../../../src/selfedit/reference/pooled-p.js';
import { bootstrapMean } from '../../../src/stats/bootstrap.js';
import { Mt19937 } from '../../../src/stats/mt19937.js';
import { signTest } from '../../../src/stats/sign-test.js';

const Q = `You are a triage aide.
<!-- frozen: safety -->
Never restart a worker.
Report only facts.
<!-- frozen -->
Name one class.
Quote two numbers.`;

const sectionsOf = (text: string, strict = false) => {
  const reading = frozenSections(text, strict);
  return reading.ok
    ? reading.sections.map(({ name, start, end }) => `${name} ${start}-${end}`)
    : reading.line;
};

describe('frozen sections (spec 08 §25)', () => {
  it.each([
    [Q, ['safety 1-3']],
    ['<!-- frozen -->\na\nb', ['core 0-2']],
    ['<!-- frozen: a -->\nx\n<!-- frozen: b -->\ny', ['a 0-1', 'b 2-3']],
    ['<!-- frozen : role -->\nx', ['core 0-1']],
    ['<!-- frozen: -->\nx', ['core 0-1']],
    ['<!-- frozen -->\na\n<!-- frozen -->\nb\n<!-- frozen -->\nc', ['core 0-1', 'core 4-5']],
    ['<!-- note -->\nx', []],
    ['see <!-- FROZEN: x --> here\ny', ['x 0-1']],
  ])('reads %j', (text, sections) => {
    expect(sectionsOf(text)).toEqual(sections);
  });

  it('has two lines of content in Q', () => {
    expect(frozenContent(Q, { name: 'safety', start: 1, end: 3 })).toEqual([
      'Never restart a worker.',
      'Report only facts.',
    ]);
  });

  it('refuses a malformed marker; ours also behind blanks', () => {
    expect(sectionsOf('<!-- frozen-->\nx')).toBe(0);
    expect(sectionsOf('  <!-- frozen-->\nx')).toEqual([]);
    expect(sectionsOf('  <!-- frozen-->\nx', true)).toBe(0);
  });
});

describe('the primitives of the reference (spec 08 §25)', () => {
  it.each([
    ['a reworded line', Q.replace('Quote two numbers.', 'Quote three numbers.'), [0, 0, 1, 1]],
    ['an added line', `${Q}\nBe brief.`, [1, 0, 0, 1]],
    ['a removed line', Q.replace('\nQuote two numbers.', ''), [0, 1, 0, 1]],
  ])('counts %s', (_what, after, [added, removed, modified, total]) => {
    expect(diffCounts(Q, after)).toEqual({
      lines_added: added,
      lines_removed: removed,
      lines_modified: modified,
      total,
    });
  });

  it('overlooks a deleted marker and sees a changed frozen text and a missing name', () => {
    const edit = { old_text: 'Report only facts.', new_text: 'Report rumours.' };
    expect(frozenViolations(Q, edit)).toBe(1);
    expect(frozenViolations(Q, { old_text: '<!-- frozen: safety -->\n', new_text: '' })).toBe(0);
    const harmless = { old_text: 'Name one class.', new_text: 'Name the class.' };
    expect(frozenViolations(Q, harmless, ['safety', 'role'])).toBe(1);
  });

  it.each([
    ['alpha beta gamma delta epsilon zeta', 'alpha beta gamma delta epsilon zeta eta', 0.175638],
    ['alpha beta gamma delta epsilon zeta', 'alpha beta gamma delta', 0.356449],
    ['alpha beta gamma delta epsilon zeta', 'one two', 1],
    ['never restart workers always report', 'always restart workers never report', 0],
  ])('measures the drift of %j to %j', (before, after, drift) => {
    expect(lexicalDrift(before, after)).toBeCloseTo(drift, 6);
  });

  it('measured less drift before 0.3', () => {
    const before = 'alpha beta gamma delta epsilon zeta';
    expect(lexicalDrift(before, `${before} eta`, true)).toBeCloseTo(0.101973, 6);
  });

  it.each([
    [[...Array<string>(9).fill('leak'), 'jam'], 0.9],
    [[...Array<string>(8).fill('leak'), 'jam', 'halt'], 0.8],
    [['leak'], 0],
    [['x', 'x', 'x', 'x', 'x'], 1],
  ])('rates the oracle of %j', (outputs, value) => {
    expect(oracleDrift(outputs)).toBeCloseTo(value, 12);
  });

  it('divides by the baseline', () => {
    expect(relativeEffect(0, 1)).toBe(Number.POSITIVE_INFINITY);
    expect(relativeEffect(4, 7)).toBeCloseTo(0.75, 12);
  });

  it('has the paired figures of ten answers (spec 08 §25)', () => {
    const before = [1, 1, 0, 0, 0, 1, 0, 1, 0, 0];
    const after = [1, 1, 1, 1, 0, 1, 0, 1, 1, 0];
    const deltas = after.map((pass, i) => pass - (before[i] ?? 0));
    const interval = bootstrapMean(deltas, { random: new Mt19937(1) });
    expect(interval).toMatchObject({
      low: 0,
      high: expect.closeTo(0.6, 9),
      estimate: expect.closeTo(0.3, 9),
    });
    expect(signTest(3, 0)).toBe(0.125);
    expect(relativeEffect(2, 2.1)).toBeCloseTo(0.05, 12);
  });

  it.each([
    [4, 7, 10, 0.3698],
    [12, 15, 26, 0.579],
    [5, 5, 10, 1],
  ])('pools %i and %i right of %i', (a, b, n, p) => {
    expect(pooledPermutationP(a, b, n)).toBeCloseTo(p, 3);
  });

  it.each([
    [26, 12, 8],
    [26, 16, 8],
    [26, 21, null],
    [40, 18, 10],
    [40, 24, 9],
    [40, 32, 7],
  ])('needs clean wins with %i tasks and %i right: %s (spec 08 §19)', (n, right, wins) => {
    const enough = Array.from({ length: n - right }, (_, i) => i + 1).find(
      (w) => pooledPermutationP(right, right + w, n) < 0.05,
    );
    expect(enough ?? null).toBe(wins);
  });
});

describe('the gate of the reference (spec 08 §25)', () => {
  const usual: ReferenceGateInput = {
    prompt: Q,
    original: Q,
    edit: { old_text: 'Name one class.', new_text: 'Name the narrowest class.' },
    expectedOutputs: ['a', 'b', 'c', 'd'],
    trials: 40,
    effect: 0.2,
    p: 0.01,
  };
  const many = {
    old_text: 'Name one class.',
    new_text: ['Name one class.', ...Array<string>(21).fill('More.')].join('\n'),
  };
  it.each<[string, Partial<ReferenceGateInput>, string, string]>([
    ['too few trials', { trials: 9, effect: 0.3, p: 0.001 }, 'reject', 'sample_floor'],
    ['harm', { effect: -0.25 }, 'near_miss', 'effect_size'],
    ['a cost abort', { trials: 15, effect: 0, p: 1 }, 'near_miss', 'effect_size'],
    ['p of exactly 0.05', { p: 0.05 }, 'promote', 'oracle_drift'],
    ['p above', { p: 0.0501 }, 'near_miss', 'confidence'],
    ['the smallest effect', { effect: 0.05 }, 'promote', 'oracle_drift'],
    ['an infinite effect', { effect: Number.POSITIVE_INFINITY }, 'promote', 'oracle_drift'],
    [
      'a frozen line',
      { edit: { old_text: 'Report only facts.', new_text: 'Guess.' } },
      'near_miss',
      'frozen_sections',
    ],
    [
      'a deleted marker',
      { edit: { old_text: '<!-- frozen: safety -->\n', new_text: '' } },
      'promote',
      'oracle_drift',
    ],
    ['21 lines', { edit: many }, 'near_miss', 'edit_distance'],
    [
      'one answer mostly',
      { expectedOutputs: [...Array<string>(9).fill('a'), 'b'] },
      'near_miss',
      'oracle_drift',
    ],
    [
      'one answer mostly, threshold 0.9',
      { expectedOutputs: [...Array<string>(9).fill('a'), 'b'], nearMissThreshold: 0.9 },
      'reject',
      'oracle_drift',
    ],
  ])('%s', (_what, change, decision, lastCheck) => {
    const result = referenceGate({ ...usual, ...change });
    expect(result.decision).toBe(decision);
    expect(result.checks.at(-1)?.name).toBe(lastCheck);
  });

  it('counts 21 lines, and one violation of a frozen line', () => {
    const lastValue = (edit: ReferenceGateInput['edit']) =>
      referenceGate({ ...usual, edit }).checks.at(-1)?.value;
    expect(lastValue(many)).toBe(21);
    expect(lastValue({ old_text: 'Report only facts.', new_text: 'Guess.' })).toBe(1);
  });

  it('measures 0.1492 of drift for the usual edit and 0.0731 without the marker', () => {
    const driftOf = (change: Partial<ReferenceGateInput>) =>
      referenceGate({ ...usual, ...change }).checks.find(({ name }) => name === 'drift')?.value;
    expect(driftOf({})).toBeCloseTo(0.1492, 4);
    expect(driftOf({ edit: { old_text: '<!-- frozen: safety -->\n', new_text: '' } })).toBeCloseTo(0.0731, 4);
  });
});
