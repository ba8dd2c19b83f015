import { describe, expect, it } from 'vitest';
import type { Case } from '../../../src/selfedit/cases/case.js';
import { scoreInvestigate } from '../../../src/selfedit/scorers/investigate.js';
import { scoreProposer } from '../../../src/selfedit/scorers/proposer.js';
import { scoreRca } from '../../../src/selfedit/scorers/rca.js';

const testCase = (change: Partial<Case['expected']> = {}, input: Partial<Case['input']> = {}): Case => ({
  case_id: 'c1',
  prompt_id: 'rca',
  group_id: 'c1',
  segment: 'resource_leak',
  weight: 1,
  input: {
    findings: [
      {
        id: 'e1',
        symptom: 'gpu_memory_leaked',
        evidence: { used_gb: 171.25, owner: 'none', ids: [12, 345] },
      },
      { id: 'e2', symptom: 'crash_count_high', evidence: { crashes: 7, total: 12000, drift: -0.031 } },
    ],
    context: {},
    ...input,
  },
  expected: {
    class: 'resource_leak',
    also_ok: ['crash_loop'],
    must_cite: [],
    insufficient: false,
    ...change,
  },
  source: 'recorded',
  labelled_by: 'test',
  created_at: '',
  sha256: 'x',
});

describe('rca_v1 (spec 08 §21)', () => {
  it.each([
    ['a right answer', 'Memory of 171.3 GiB has no owner.\ncause: resource_leak', 1, true],
    ['other spellings of the line', 'A leak.\n  CAUSE : Resource_Leak.', 1, true],
    ['blank lines behind', 'A leak.\ncause: resource_leak\n\n', 1, true],
    ['a second best', 'Crashes.\ncause: crash_loop', 0.65, false],
    ['a wrong class', 'Crashes.\ncause: agent_stall', 0.3, false],
    ['no class', 'It leaks.', 0.3, false],
    ['a class in the middle', 'cause: resource_leak\nThat is all.', 0.3, false],
    ['a made-up number', 'It holds 199 GiB.\ncause: resource_leak', 0.8, false],
    ['one of two made up', 'It holds 171 of 199 GiB.\ncause: resource_leak', 0.9, false],
    ['rounding', 'It holds 171 GiB, drift -0.03.\ncause: resource_leak', 1, true],
    ['false precision', 'It holds 171.26 GiB.\ncause: resource_leak', 0.8, false],
    ['thousands', 'Of 12,000 requests some fell.\ncause: resource_leak', 1, true],
    ['members of a list', 'Number 345 fell.\ncause: resource_leak', 1, true],
    ['counts', 'Two of 3 findings follow.\ncause: resource_leak', 1, true],
    ['seven sentences', `${'So it is. '.repeat(7)}\ncause: resource_leak`, 0.9, false],
    ['a decimal point is no sentence', 'It holds 171.25 GiB. Yes.\ncause: resource_leak', 1, true],
    ['a code block', '```\nx\n```\ncause: resource_leak', 0.9, false],
    ['a table', '| a | b |\ncause: resource_leak', 0.9, false],
    ['nothing', '', 0.3, false],
  ])('scores %s', (_what, answer, score, passed) => {
    const result = scoreRca(testCase(), answer);
    expect(result.score).toBeCloseTo(score, 9);
    expect(result.passed).toBe(passed);
    expect(result.faults.length > 0).toBe(!passed);
  });

  it('wants one of the values that must be cited', () => {
    const strict = testCase({ must_cite: ['used_gb', 'owner'] });
    expect(scoreRca(strict, 'It leaks.\ncause: resource_leak').passed).toBe(false);
    expect(scoreRca(strict, 'It holds 171.25 GiB.\ncause: resource_leak').passed).toBe(true);
    expect(scoreRca(strict, 'Its owner is none.\ncause: resource_leak').passed).toBe(true);
  });

  it.each([
    ['insufficient evidence', true],
    ['Insufficient evidence.', true],
    ['All is empty.\ncause: insufficient_evidence', true],
    ['It leaks.\ncause: resource_leak', false],
    ['', false],
  ])('where the evidence does not suffice, takes %j: %s', (answer, passed) => {
    const empty = testCase({ class: 'insufficient_evidence', insufficient: true });
    expect(scoreRca(empty, answer).passed).toBe(passed);
  });
});

describe('proposer_v1', () => {
  const asked = testCase(
    { action_id: 'raise_timeout', also_ok: ['retry'] },
    { context: { actions: ['raise_timeout', 'retry', 'noop'] } },
  );
  it.each([
    ['{"action_id": "raise_timeout"}', true, false],
    ['```json\n{"action_id": "retry"}\n```', true, false],
    ['{"action_id": "noop"}', false, false],
    ['{"action_id": "reboot"}', false, true],
    ['reboot it', false, true],
  ])('%j', (answer, passed, violation) => {
    expect(scoreProposer(asked, answer)).toMatchObject({ passed, violation });
  });
});

describe('investigate_v1', () => {
  const asked = testCase({ class: 'oom' }, { context: { max_band: 'medium' } });
  const answer = (change: object) =>
    JSON.stringify({
      root_cause: { error_type: 'oom', evidence_ids: ['e1'], confidence_band: 'medium', ...change },
    });
  it.each<[string, string, boolean]>([
    ['a grounded answer', answer({}), true],
    ['less confidence', answer({ confidence_band: 'LOW' }), true],
    ['more than the evidence allows', answer({ confidence_band: 'high' }), false],
    ['an unknown band', answer({ confidence_band: 'certain' }), false],
    ['made-up evidence', answer({ evidence_ids: ['e1', 'e9'] }), false],
    ['no evidence', answer({ evidence_ids: [] }), false],
    ['another cause', answer({ error_type: 'hang' }), false],
    ['prose', 'out of memory', false],
  ])('%s', (_what, text, passed) => {
    expect(scoreInvestigate(asked, text).passed).toBe(passed);
  });
});
