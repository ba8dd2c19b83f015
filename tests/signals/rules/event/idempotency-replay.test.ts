import { event } from '../../../../src/signals/rules/event.js';
import { testRule } from '../../../support/rule-tester.js';

const proposal = (
  idempotency_key: unknown,
  params?: unknown,
  action_name = 'explore',
  from_agent = 'orchestration',
) => ({
  topic: 'proposal',
  from_agent,
  payload: { action_name, idempotency_key, ...(params !== undefined && { params }) },
});
const events = (...coordinator_events: object[]) => ({ coordinator_events });

testRule(event, {
  valid: [
    {
      why: 'one key twice is a retry, no dodge',
      context: { inbox: [proposal('a', { x: 1 }), proposal('a', { x: 1 })] },
    },
    {
      why: 'other params are another proposal',
      context: { inbox: [proposal('a', { x: 1 }), proposal('b', { x: 2 })] },
    },
    {
      why: 'a proposal without key is not judged',
      context: { inbox: [proposal(null), proposal('a'), proposal('')] },
    },
    {
      why: 'proposals in the table alone are not judged',
      snapshot: events({ ...proposal('a'), agent: 'o' }, { ...proposal('b'), agent: 'o' }),
    },
    {
      why: 'params nested beyond 64 levels are skipped (event-8)',
      context: { inbox: [proposal('a', nested(70)), proposal('b', nested(70))] },
    },
  ],
  invalid: [
    {
      why: 'one payload under two keys',
      context: { inbox: [proposal('b', { x: 1 }), proposal('a', { x: 1 }, 'explore', 'kernel_agent')] },
      symptoms: [
        {
          name: 'idempotency_replay',
          severity: 'medium',
          subject: { action_name: 'explore' },
          source: 'inbox',
          evidence: {
            action_name: 'explore',
            payload_hash: '28ffa66f92415ba60949e230a5c73fccfc7f2630',
            distinct_keys: ['a', 'b'],
            threshold: 2,
            other_buckets: 0,
            proposers: ['kernel_agent', 'orchestration'],
          },
          summaryMentions: ['explore', '2'],
        },
      ],
    },
    {
      why: 'absent and empty params are one payload, and keys may be numbers',
      context: { inbox: [proposal(5), proposal('5 ', {}), proposal(6, []), proposal('a', 0)] },
      symptoms: [
        {
          name: 'idempotency_replay',
          evidenceWith: {
            distinct_keys: ['5', '6', 'a'],
            payload_hash: '9e421081699bdce3de602dd23d345df3671de509',
          },
        },
      ],
    },
    {
      why: 'of two payloads of one action the one with more keys is told (event-8)',
      context: {
        inbox: [
          ...['a', 'b'].map((key) => proposal(key, { x: 1 })),
          ...['c', 'd', 'e'].map((key) => proposal(key, { x: 2 })),
        ],
      },
      symptoms: [
        { name: 'idempotency_replay', evidenceWith: { distinct_keys: ['c', 'd', 'e'], other_buckets: 1 } },
      ],
    },
  ],
});

function nested(levels: number): object {
  let value: object = {};
  for (let i = 1; i < levels; i += 1) value = { v: value };
  return value;
}
