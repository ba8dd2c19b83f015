import { describe, expect, it } from 'vitest';
import { readAnswer } from '../../../src/decision/rca/answer.js';
import { answerOf } from '../../../src/selfedit/scorers/answer-of.js';
import { breaksContract } from '../../../src/selfedit/scorers/contract.js';

describe('the form of an answer (spec 08 §24.10)', () => {
  it.each([
    'The disk is full.\ncause: resource_leak',
    'The disk is full.\n\n**Cause:** `resource_leak`.\n',
    'CAUSE : Resource_Leak',
    'insufficient evidence',
    '"Insufficient evidence."',
  ])('of rca is kept by %j, which the engine reads, too', (answer) => {
    expect(breaksContract('rca', answer)).toBe(false);
    const { text, causeClass } = readAnswer(answer, 1500);
    expect(causeClass !== undefined || text === '').toBe(true);
  });

  it.each([
    'The disk is full.',
    'cause: resource_leak\nThat is all.',
    'The disk is full.\ncause: gremlins',
    'cause:',
    '',
  ])('of rca is broken by %j', (answer) => {
    expect(breaksContract('rca', answer)).toBe(true);
    expect(readAnswer(answer, 1500).causeClass).toBeUndefined();
  });

  it('of the others is a JSON object', () => {
    expect(breaksContract('investigate', '{"root_cause": {}}')).toBe(false);
    expect(breaksContract('rx_proposer', '```json\n{"action_id": "none"}\n```')).toBe(false);
    expect(breaksContract('rx_proposer', 'raise the timeout')).toBe(true);
  });
});

describe('what an answer names', () => {
  it.each([
    ['It leaks.\ncause: resource_leak', 'resource_leak'],
    ['insufficient evidence', 'insufficient_evidence'],
    ['{"root_cause": {"error_type": "oom"}}', 'oom'],
    ['{"error_type": "oom"}', 'oom'],
    ['{"action_id": "raise_timeout"}', 'raise_timeout'],
    ['nothing', ''],
  ])('%j: %s', (answer, name) => {
    expect(answerOf(answer)).toBe(name);
  });
});
