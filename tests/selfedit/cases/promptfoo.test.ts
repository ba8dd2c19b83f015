import { describe, expect, it } from 'vitest';
import { buildCases } from '../../../src/selfedit/cases/build-cases.js';
import type { Case } from '../../../src/selfedit/cases/case.js';
import { CaseSet } from '../../../src/selfedit/cases/case-set.js';
import { promptfooTests } from '../../../src/selfedit/cases/promptfoo.js';

const cases = buildCases(60, 1, '');

/** What promptfoo does with an assertion of this type. */
function passes(promptId: string, one: Case, output: string): boolean {
  const [assertion] = promptfooTests(promptId, new CaseSet([one]))[0]?.assert ?? [];
  return new RegExp(assertion?.value ?? '$.').test(output);
}

describe('cases for promptfoo (spec 08 §24.5)', () => {
  it('are all there, with their split', () => {
    const tests = promptfooTests('rca', new CaseSet(cases));
    expect(tests).toHaveLength(60);
    expect(new Set(tests.map(({ metadata }) => metadata.split))).toEqual(
      new Set(['dev', 'confirm', 'audit']),
    );
    expect(tests[0]?.vars.input).toContain('<DATA-');
  });

  const [rooted] = cases;
  const empty = cases.find(({ expected }) => expected.insufficient);
  if (rooted === undefined || empty === undefined) throw new Error('no case');
  const right = rooted.expected.class;

  it.each([
    [`It leaks.\ncause: ${right}`, true],
    [`It leaks.\nCause : ${right}.\n\n`, true],
    [`cause: ${right}\nThat is all.`, false],
    [`It leaks.\ncause: ${right}_more`, false],
    ['It leaks.\ncause: agent_stall', false],
  ])('of rca ask for the class on the last line: %j', (output, isRight) => {
    expect(passes('rca', rooted, output)).toBe(isRight);
  });

  it.each([
    ['Insufficient evidence.', true],
    ['All is empty.\ncause: insufficient_evidence', true],
    ['There is insufficient evidence for a leak.\ncause: resource_leak', false],
  ])('of rca take either way to say that it does not suffice: %j', (output, isRight) => {
    expect(passes('rca', empty, output)).toBe(isRight);
  });

  it('of the other prompts ask for the field of the answer', () => {
    const proposed = { ...rooted, expected: { ...rooted.expected, action_id: 'a.b', also_ok: ['c'] } };
    expect(passes('rx_proposer', proposed, '{"action_id": "a.b"}')).toBe(true);
    expect(passes('rx_proposer', proposed, '{"action_id":"c"}')).toBe(true);
    expect(passes('rx_proposer', proposed, '{"action_id": "axb"}')).toBe(false);
    expect(passes('investigate', rooted, `{"root_cause":{"error_type":"${right}"}}`)).toBe(true);
  });
});
