import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../src/foreign/json.js';
import { denials, normalisedReason } from '../../../src/signals/rules/denials.js';
import { type Sight, testRule } from '../../support/rule-tester.js';

function denial(change: JsonObject = {}, to = 'orchestration'): JsonObject {
  return {
    agent: 'coordinator',
    to_agent: to,
    topic: 'observation',
    payload: {
      kind: 'policy_denied',
      intent_type: 'delegate',
      rule: 'duplicate_key',
      reason: "delegate 'recover' duplicates task 17",
      ...change,
    },
  };
}

function queued(source: string): JsonObject {
  return { agent: 'coordinator', topic: 'event', payload: { kind: 'task_queued', source } };
}

/** Rows, oldest first, a minute apart. */
function bus(...rows: readonly JsonObject[]): Sight {
  const events: Json[] = rows.map((row, index) => ({ id: index + 1, ts: 1000 + index * 60, ...row }));
  return { snapshot: { coordinator_events: events } };
}

function times(count: number, make: (index: number) => JsonObject): JsonObject[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

const streak = 'denial_streak';

testRule(denials, {
  valid: [
    { why: 'four denials', ...bus(...times(4, () => denial())) },
    {
      why: 'the agent got something through since',
      ...bus(...times(9, () => denial()), queued('orchestration')),
    },
    {
      why: 'it alternates between two rules',
      ...bus(...times(20, (i) => denial({ rule: `rule_${'ab'.charAt(i % 2)}` }))),
    },
    {
      why: 'another reason came in between',
      ...bus(...times(4, () => denial()), denial({ reason: 'role' }), ...times(4, () => denial())),
    },
    {
      why: 'denials to nobody and to everybody',
      ...bus(...times(6, () => denial({}, ' ')), ...times(6, () => denial({}, '*'))),
    },
    { why: 'other observations', ...bus(...times(6, () => denial({ kind: 'delegate_pruned_advisory' }))) },
    {
      why: 'inbox rows name no addressee',
      context: {
        inbox: times(6, () => denial()).map(({ payload }, index) => ({
          seq: index + 1,
          topic: 'observation',
          payload: payload as JsonObject,
        })),
      },
    },
  ],
  invalid: [
    {
      why: 'the same denial five times',
      ...bus(...times(5, (i) => denial({ reason: `delegate 'recover-${i}' duplicates task ${100 + i}` }))),
      symptoms: [
        {
          name: streak,
          severity: 'medium',
          subject: { agent: 'orchestration', rule: 'duplicate_key' },
          source: 'coordinator_events',
          evidence: {
            agent: 'orchestration',
            intent_type: 'delegate',
            rule: 'duplicate_key',
            reason: "delegate 'recover-4' duplicates task 104",
            count: 5,
            first_unix: 1000,
            last_unix: 1240,
            threshold: 5,
          },
          summaryMentions: ['orchestration', 'delegate', '5 times', 'duplicate_key', 'limit 5'],
        },
      ],
    },
    {
      why: 'fifteen are urgent',
      ...bus(...times(15, () => denial())),
      symptoms: [{ name: streak, severity: 'high', evidenceWith: { count: 15, threshold: 15 } }],
    },
    {
      why: 'other agents in between do not matter, and each is judged for itself',
      ...bus(
        ...times(5, () => denial()).flatMap((row) => [row, denial({}, 'critic'), queued('kernel_agent')]),
      ),
      symptoms: [
        { name: streak, subject: { agent: 'critic', rule: 'duplicate_key' } },
        { name: streak, subject: { agent: 'orchestration', rule: 'duplicate_key' } },
      ],
    },
    {
      why: 'other events of the agent are no success',
      ...bus(...times(5, () => denial()), {
        topic: 'event',
        payload: { kind: 'phase_transition', source: 'orchestration' },
      }),
      symptoms: [streak],
    },
    {
      why: 'a success before them does not excuse them',
      ...bus(queued('orchestration'), ...times(5, () => denial())),
      symptoms: [{ name: streak, evidenceWith: { count: 5 } }],
    },
    {
      why: 'times that cannot be read are not invented',
      ...bus(
        ...times(5, () => ({ ...denial({ rule: null, intent_type: null, reason: null }), ts: 'later' })),
      ),
      symptoms: [
        {
          name: streak,
          subject: { agent: 'orchestration', rule: 'unknown' },
          evidenceWith: { rule: null, intent_type: null, reason: '', first_unix: null, last_unix: null },
        },
      ],
    },
  ],
});

describe('two reasons are one when they differ in', () => {
  it.each([
    ['quoted texts', "key 'a-1' is taken", "key 'b' is taken"],
    ['numbers', 'task 7 runs for 12 s', 'task 81 runs for 9 s'],
    ['hexadecimal ids', 'task deadbeef01 runs', 'task 00c0ffee99aa runs'],
    ['letter case and blanks', 'Task  runs', 'task\n runs'],
  ])('%s', (_what, a, b) => {
    expect(normalisedReason(a)).toBe(normalisedReason(b));
  });

  it('but not in words', () => {
    expect(normalisedReason('family sweep is pruned')).not.toBe(normalisedReason('family params is pruned'));
  });
});
