import type { Json } from '../../../src/foreign/json.js';
import type { SharedState } from '../../../src/reactor/context.js';
import { overrun } from '../../../src/signals/rules/overrun.js';
import { type Sight, testRule } from '../../support/rule-tester.js';

/** A session whose deadline passed so many seconds ago; now is 10000 s. */
function past(seconds: number, state: Partial<SharedState> = {}, stopReason: Json = ''): Sight {
  return {
    context: { shared_state: { remaining_minutes: 12.5, ...state } },
    snapshot: {
      local_state_integrity: {
        state_json: { valid: true, stop_reason: stopReason, deadline_unix: 10_000 - seconds },
      },
    },
  };
}

const name = 'budget_overrun';

testRule(overrun, {
  valid: [
    {
      why: 'no source reads the deadline',
      snapshot: { local_state_integrity: { state_json: { valid: true } } },
    },
    {
      why: 'the deadline is unknown',
      snapshot: { local_state_integrity: { state_json: { deadline_unix: null } } },
    },
    {
      why: 'a session without a deadline',
      snapshot: { local_state_integrity: { state_json: { deadline_unix: 0 } } },
    },
    { why: 'the deadline is ahead', ...past(-60) },
    { why: 'it has ten minutes to stop', ...past(599.9) },
    { why: 'the closing phase may validate for an hour', ...past(3599, { closing_phase: true }) },
    { why: 'the prompt names a stop reason', ...past(5000, { stop_reason: 'deadline' }) },
    { why: 'the state file names a stop reason', ...past(5000, {}, 'deadline') },
  ],
  invalid: [
    {
      why: 'ten minutes late',
      ...past(605),
      symptoms: [
        {
          name,
          severity: 'high',
          subject: {},
          source: 'shared_state',
          evidence: {
            deadline_unix: 9395,
            overrun_minutes: 10.1,
            closing_phase: false,
            remaining_minutes: 12.5,
          },
          summaryMentions: ['10.1 minutes', '12.5 minutes left'],
        },
      ],
    },
    { why: 'exactly the grace', ...past(600), symptoms: [name] },
    {
      why: 'an hour late in the closing phase',
      ...past(3600, { closing_phase: true }),
      symptoms: [{ name, evidenceWith: { closing_phase: true, overrun_minutes: 60 } }],
    },
    { why: 'a shorter grace', ...past(10), config: { budget_overrun_grace_s: 5 }, symptoms: [name] },
  ],
});
