import { jsonObjectIn } from './json-answer.js';
import type { Scorer } from './scorer.js';

/** `proposer_v1` (spec 08 §21): the action is the expected one or among `also_ok`; a name outside the list is a violation. */
export const scoreProposer: Scorer = (testCase, answer) => {
  const action = jsonObjectIn(answer)?.['action_id'];
  const { action_id, also_ok } = testCase.expected;
  const offered = testCase.input.context['actions'];
  const isKnown = Array.isArray(offered) ? offered.includes(action) : typeof action === 'string';
  const passed = isKnown && (action === action_id || also_ok.some((one) => one === action));
  return {
    score: passed ? 1 : 0,
    passed,
    faults: passed ? [] : [isKnown ? `proposes ${String(action)}` : 'names no action of the list'],
    violation: !isKnown,
  };
};
