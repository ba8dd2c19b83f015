import { event } from '../../../src/signals/rules/event.js';
import { testRule } from '../../support/rule-tester.js';

const denial = (agent: string, rule: unknown, more: object = {}) => ({
  agent,
  topic: 'observation',
  payload: { kind: 'policy_denied', rule },
  ...more,
});
const result = (payload: object, more: object = {}) => ({
  agent: 'coordinator',
  topic: 'delegated_result',
  payload,
  ...more,
});
const failed = (family: string, more: object = {}) => result({ family, state: 'failed', ...more });
const succeeded = (family: string, more: object = {}) => result({ family, state: 'succeeded', ...more });
const events = (...coordinator_events: object[]) => ({ coordinator_events });
const numbered = (rows: object[]) => rows.map((row, index) => ({ id: index + 1, ...row }));
const review = { kind: 'recover', state: 'needs_review' };
const fillers = (n: number) => Array.from({ length: n }, () => ({ topic: 'event', payload: {} }));

/** As our collector reads results: with what had been asked for. */
const tried = (error: string, n: number) =>
  result({ family: 'explore', state: 'failed', error }, { task_params: { n } });
const REASONS = [
  'argument 7 out of range',
  'port taken',
  'no such kernel',
  'graph capture failed',
  'bad page size',
  'floor missed',
  'dtype unknown',
];

const failedAt = (ts: number) => result({ family: 's', state: 'failed' }, { to_agent: '*', ts });

testRule(event, {
  valid: [
    {
      why: 'denials that lie hours apart are lessons, not a pattern',
      context: { now_unix: 50_000 },
      snapshot: events(
        ...[40_000, 44_000, 49_000].map((ts) =>
          denial('coordinator', 'r', { to_agent: 'orchestration', ts }),
        ),
      ),
    },
    {
      why: 'failures that nobody has repeated for an hour and a half',
      context: { now_unix: 50_000 },
      snapshot: events(...[40_000, 44_599].map((ts) => failedAt(ts))),
    },
    {
      why: 'variants that fail each for its own reason are exploring',
      snapshot: events(...REASONS.slice(0, 3).map(tried)),
    },
    { why: 'two denials are no pattern', snapshot: events(denial('a', 'role'), denial('a', 'role')) },
    {
      why: 'results that say that all is well, in many words',
      snapshot: events(
        ...[{ outcome: 'kept' }, { exit_code: 0 }, { ok: true, returncode: 0 }, { success: 'false' }].map(
          (inner, n) => result({ family: 's', state: 'succeeded', result: inner }, { task_params: { n } }),
        ),
      ),
    },
    {
      why: 'exit codes in rows of other sources are left to the words of the specification',
      snapshot: events(
        succeeded('s', { result: { exit_code: 3 } }),
        succeeded('s', { result: { exit_code: 3 } }),
      ),
    },
    {
      why: 'two of a kind among failures for other reasons are chance',
      snapshot: events(tried('port taken', 1), tried('floor missed', 2), tried('floor missed', 3)),
    },
    {
      why: 'five of different reasons in a family that has worked before',
      snapshot: events(succeeded('explore'), ...REASONS.slice(0, 5).map(tried)),
    },
    {
      why: 'three denials of three agents are no pattern',
      snapshot: events(denial('a', 'role'), denial('b', 'role'), denial('c', 'role')),
    },
    {
      why: 'topics are case-sensitive and payloads must be objects',
      snapshot: events(
        denial('a', 'role', { topic: 'Observation' }),
        denial('a', 'role', { payload: 'policy_denied' }),
        denial('a', 'role', { payload: null }),
        denial('a', 'role'),
        denial('a', 'role'),
      ),
    },
    {
      why: 'a denial that stands in table and inbox is one denial (event-1)',
      context: {
        inbox: [1, 2].map((seq) => ({
          seq,
          from_agent: 'coordinator',
          topic: 'observation',
          payload: { kind: 'policy_denied', rule: 'role' },
        })),
      },
      snapshot: events(...numbered([denial('a', 'role'), denial('a', 'role')])),
    },
    { why: 'one failure is no pattern', snapshot: events(failed('sweep')) },
    {
      why: 'the state is compared exactly',
      snapshot: events(failed('s'), result({ family: 's', state: 'FAILED' })),
    },
    { why: 'a result without family and kind belongs nowhere', snapshot: events(failed(' '), failed('')) },
    {
      why: 'one task that is reported twice failed once (event-1)',
      snapshot: events(failed('s', { task_id: 't1' }), failed('s', { task_id: ' t1 ' })),
    },
    {
      why: 'a success forgets the failures before it (event-6)',
      snapshot: events(failed('s'), failed('s'), succeeded('s')),
    },
    {
      why: 'a success without a failure word inside is a success (event-7)',
      snapshot: events(
        ...Array.from({ length: 4 }, () =>
          succeeded('s', { result: { status: 'kept', note: 'failed over' } }),
        ),
      ),
    },
    {
      why: 'the status of an event that is no result word is not looked at (event-7)',
      snapshot: events(succeeded('s', { status: 'failed' }), succeeded('s', { status: 'failed' })),
    },
    {
      why: 'a recover that succeeded last forgets the one in review',
      snapshot: events(result(review), result({ ...review, state: 'succeeded' })),
    },
    {
      why: 'a recover beyond the look-back is forgotten',
      snapshot: events(result(review), ...fillers(50)),
    },
    {
      why: 'a nested verdict that is fine decides over the top level (event-3)',
      snapshot: events(result({ kind: 'recover', state: 'succeeded', result: { state: 'recovered' } })),
    },
    {
      why: 'in ascending rows the newest recover is the last one (event-2)',
      snapshot: events(...numbered([result(review), result({ kind: 'recover', state: 'succeeded' })])),
    },
    {
      why: 'odd rows are skipped',
      snapshot: { coordinator_events: ['x', null, 7, [], { topic: 'delegated_result', payload: [] }] },
    },
  ],
  invalid: [
    {
      why: 'failures of which the last one is fresh',
      context: { now_unix: 50_000 },
      snapshot: events(...[40_000, 44_600].map((ts) => failedAt(ts))),
      symptoms: ['repeated_failure'],
    },
    {
      why: 'three denials within the hour',
      context: { now_unix: 50_000 },
      snapshot: events(
        ...[46_401, 48_000, 49_000].map((ts) =>
          denial('coordinator', 'r', { to_agent: 'orchestration', ts }),
        ),
      ),
      symptoms: [{ name: 'repeated_policy_denied', subject: { agent: 'orchestration' } }],
    },
    {
      why: 'failures that say the same but for their numbers',
      snapshot: events(
        tried('worker 3 of 8 exited with code 17', 1),
        tried('worker 5 of 8 exited with code 17', 2),
      ),
      symptoms: [{ name: 'repeated_failure', severity: 'medium' }],
    },
    {
      why: 'four of different reasons are too many all the same',
      snapshot: events(...REASONS.slice(0, 4).map(tried)),
      symptoms: [{ name: 'repeated_failure', severity: 'medium', evidenceWith: { count: 4 } }],
    },
    {
      why: 'six of different reasons are too many in a family that has worked before, too',
      snapshot: events(succeeded('explore'), ...REASONS.slice(0, 6).map(tried)),
      symptoms: [{ name: 'repeated_failure', severity: 'medium', evidenceWith: { count: 6 } }],
    },
    {
      why: 'three of a kind are a pattern, whatever came before them',
      snapshot: events(tried('port taken', 1), ...[2, 3, 4].map((n) => tried('floor missed', n))),
      symptoms: [{ name: 'repeated_failure', severity: 'medium', evidenceWith: { count: 4 } }],
    },
    {
      why: 'failures without a word cannot be told apart',
      snapshot: events(tried('', 1), tried('', 2)),
      symptoms: [{ name: 'repeated_failure', severity: 'medium' }],
    },
    {
      why: 'three denials of one agent',
      snapshot: events(
        denial('orchestration', 'role'),
        denial('orchestration', 'role'),
        denial('orchestration', 'role'),
      ),
      symptoms: [
        {
          name: 'repeated_policy_denied',
          severity: 'medium',
          subject: { agent: 'orchestration' },
          source: 'coordinator_events',
          evidence: { from: 'orchestration', count: 3, top_rule: 'role', rule_distribution: { role: 3 } },
          summaryMentions: ['orchestration', '3', 'role'],
        },
      ],
    },
    {
      why: 'on a tie the rule seen first is on top, and rules are told per agent (event-4)',
      snapshot: events(
        ...['a', 'b', 'b', 'a'].map((rule) => denial('orchestration', rule)),
        ...['c', 'c', 'c'].map((rule) => denial('critic', rule)),
      ),
      symptoms: [
        {
          name: 'repeated_policy_denied',
          evidenceWith: { top_rule: 'a', rule_distribution: { a: 2, b: 2 } },
        },
        { name: 'repeated_policy_denied', evidenceWith: { top_rule: 'c', rule_distribution: { c: 3 } } },
      ],
    },
    {
      why: 'a denial that the Coordinator wrote belongs to its addressee (event-4)',
      snapshot: events(
        ...Array.from({ length: 3 }, () => denial(' coordinator ', 'role', { to_agent: 'specialist' })),
        denial('coordinator', 'role', { to_agent: '*' }),
      ),
      symptoms: [
        { name: 'repeated_policy_denied', subject: { agent: 'specialist' }, evidenceWith: { count: 3 } },
      ],
    },
    {
      why: 'without sender the source is blamed, without source nobody',
      snapshot: events(
        ...Array.from({ length: 3 }, () =>
          denial('', '', { payload: { kind: 'policy_denied', source: 'orch2' } }),
        ),
        ...Array.from({ length: 3 }, () => denial('', '')),
      ),
      symptoms: [
        { name: 'repeated_policy_denied', subject: { agent: 'orch2' } },
        {
          name: 'repeated_policy_denied',
          subject: { agent: 'unknown' },
          evidenceWith: { top_rule: 'unknown' },
        },
      ],
    },
    {
      why: 'a rule that is no scalar is unknown and hurts nobody (event-5)',
      snapshot: events(denial('a', ['x']), denial('a', { y: 1 }), denial('a', 7)),
      symptoms: [
        { name: 'repeated_policy_denied', evidenceWith: { rule_distribution: { unknown: 2, '7': 1 } } },
      ],
    },
    {
      why: 'two failures of one family, with the last one told',
      snapshot: events(
        failed('sweep', { task_id: 't1', kind: 'sweep', error: 'e1' }),
        failed('sweep', { task_id: 't2', kind: 'sweep', error: 'e2' }),
      ),
      symptoms: [
        {
          name: 'repeated_failure',
          severity: 'medium',
          subject: { family: 'sweep' },
          evidence: {
            family: 'sweep',
            count: 2,
            last_failure: { task_id: 't2', kind: 'sweep', error: 'e2' },
            soft_failures: 0,
          },
          suggestionMentions: ['sweep'],
        },
      ],
    },
    {
      why: 'four failures call for a prune',
      snapshot: events(...Array.from({ length: 4 }, () => failed('s'))),
      symptoms: [{ name: 'repeated_failure', severity: 'high' }],
    },
    {
      why: 'the family beats the kind, and a family that is no text falls back to it',
      snapshot: events(
        result({ family: ' fam ', kind: 'x', state: 'failed' }),
        result({ family: 'fam', state: 'failed' }),
        result({ family: 7, kind: ' k ', state: 'failed' }),
        result({ kind: 'k', state: 'failed' }),
      ),
      symptoms: [
        { name: 'repeated_failure', subject: { family: 'fam' } },
        { name: 'repeated_failure', subject: { family: 'k' } },
      ],
    },
    {
      why: 'failures since the last success count (event-6)',
      snapshot: events(failed('s'), succeeded('s'), failed('s'), failed('s')),
      symptoms: [
        {
          name: 'repeated_failure',
          severity: 'medium',
          evidenceWith: { count: 2, since_last_success: true },
        },
      ],
    },
    {
      why: 'without the reset a success subtracts nothing (reference profile)',
      snapshot: events(failed('s'), succeeded('s'), failed('s')),
      config: { failure_resets_on_success: false },
      symptoms: [
        { name: 'repeated_failure', evidenceWith: { count: 2 }, evidenceWithout: ['since_last_success'] },
      ],
    },
    {
      why: 'a success that reports a failure inside is one (event-7)',
      snapshot: events(
        succeeded('s', { result: { status: ' Timed_Out ' } }),
        succeeded('s', { result: { state: 'error', error: 'boom' } }),
      ),
      symptoms: [
        {
          name: 'repeated_failure',
          evidenceWith: {
            count: 2,
            soft_failures: 2,
            last_failure: { task_id: null, kind: null, error: 'boom' },
          },
        },
      ],
    },
    {
      why: 'a success whose result tells otherwise, in whatever words (event-7)',
      snapshot: events(
        result(
          { family: 's', state: 'succeeded', result: { outcome: 'Crashed' } },
          { task_params: { n: 1 } },
        ),
        result({ family: 's', state: 'succeeded', result: { returncode: 3 } }, { task_params: { n: 2 } }),
        result(
          { family: 's', state: 'succeeded', result: { ok: false, exit_code: 9 } },
          { task_params: { n: 3 } },
        ),
        result(
          { family: 's', state: 'succeeded', result: { ok: false, exit_code: 11 } },
          { task_params: { n: 4 } },
        ),
        result(
          { family: 's', state: 'succeeded', result: { ok: false, exit_code: 9 } },
          { task_params: { n: 5 } },
        ),
      ),
      symptoms: [
        {
          name: 'repeated_failure',
          severity: 'medium',
          evidenceWith: {
            count: 5,
            soft_failures: 5,
            last_failure: { task_id: null, kind: null, error: 'exit code 9, ok: false' },
          },
        },
      ],
    },
    {
      why: 'in the inbox rendering the status tells (event-7)',
      context: {
        inbox: [1, 2].map((seq) => ({
          seq,
          topic: 'delegated_result',
          payload: { kind: 's', state: 'succeeded', status: 'failed' },
        })),
      },
      symptoms: [{ name: 'repeated_failure', evidenceWith: { soft_failures: 2 } }],
    },
    {
      why: 'ascending rows: the last failure is the newest one (event-2)',
      snapshot: events(...numbered(['t0', 't1', 't2'].map((task_id) => failed('s', { task_id })))),
      symptoms: [
        {
          name: 'repeated_failure',
          evidenceWith: { last_failure: { task_id: 't2', kind: null, error: null } },
        },
      ],
    },
    {
      why: 'the last recover needs review',
      snapshot: events(
        result({
          ...review,
          task_id: 't9',
          error_class: 'gpu_x',
          force_gpu_cleanup: true,
          mid_free_mb_per_gpu: { '0': 1.5 },
        }),
      ),
      symptoms: [
        {
          name: 'recover_unsuccessful',
          severity: 'high',
          subject: {},
          evidence: {
            task_id: 't9',
            kind: 'recover',
            state: 'needs_review',
            error_class: 'gpu_x',
            force_gpu_cleanup: true,
            mid_free_mb_per_gpu: { '0': 1.5 },
          },
          summaryMentions: ['gpu_x', 'cannot progress'],
          suggestionMentions: ['final report'],
        },
      ],
    },
    {
      why: 'a recover is known by action, family or signature, and by little more',
      snapshot: events(
        result({ force_gpu_cleanup: null, mid_free_mb_per_gpu: null, state: ' needs_review ' }),
      ),
      symptoms: [
        {
          name: 'recover_unsuccessful',
          evidence: {
            task_id: null,
            kind: 'recover',
            state: 'needs_review',
            error_class: '',
            force_gpu_cleanup: null,
            mid_free_mb_per_gpu: null,
          },
        },
      ],
    },
    {
      why: "the runner's word is overruled by the verdict inside (event-3)",
      snapshot: events(
        result({
          kind: 'recover',
          task_id: 't1',
          state: 'succeeded',
          error_class: 'outer',
          result: { state: 'needs_review', error_class: 'inner', force_gpu_cleanup: true },
        }),
      ),
      symptoms: [
        {
          name: 'recover_unsuccessful',
          evidenceWith: {
            task_id: 't1',
            error_class: 'inner',
            force_gpu_cleanup: true,
            mid_free_mb_per_gpu: null,
          },
        },
      ],
    },
    {
      why: 'the look-back keeps the newest rows',
      snapshot: events(result(review), ...fillers(49)),
      symptoms: ['recover_unsuccessful'],
    },
    {
      why: 'a look-back of 0 looks at everything',
      snapshot: events(result(review), ...fillers(100)),
      config: { recover_lookback_events: 0 },
      symptoms: ['recover_unsuccessful'],
    },
    {
      why: 'the four kinds come in their order',
      context: {
        inbox: ['a', 'b'].map((idempotency_key) => ({
          topic: 'proposal',
          payload: { action_name: 'explore', idempotency_key },
        })),
      },
      snapshot: events(
        failed('s'),
        failed('s'),
        result(review),
        ...Array.from({ length: 3 }, () => denial('a', 'role')),
      ),
      symptoms: ['repeated_policy_denied', 'repeated_failure', 'recover_unsuccessful', 'idempotency_replay'],
    },
  ],
});
