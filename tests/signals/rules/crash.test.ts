import { describe, expect, it } from 'vitest';
import { crash } from '../../../src/signals/rules/crash.js';
import { runRule, testRule } from '../../support/rule-tester.js';

const DAY = 86_400;
const at = (now_unix: number, crash_count: number) => ({
  context: { now_unix, shared_state: { crash_count } },
});

testRule(crash, {
  valid: [
    { why: 'one crash is no trend', ...at(10_000, 1) },
    {
      why: 'when the crashes of an old session were is unknown at first sight',
      context: { now_unix: 200_000, shared_state: { crash_count: 11, elapsed_minutes: 1440 } },
      snapshot: { collectors: {} },
      stateWith: {
        samples: [
          [113_600, 11],
          [200_000, 11],
        ],
      },
    },
    { why: 'a negative count is nonsense, not news', ...at(10_000, -3) },
    {
      why: 'the medium gate comes first, even above the other limits',
      ...at(10_000, 12),
      config: { crash_medium_threshold: 20 },
    },
    {
      why: 'crashes of more than a day ago no longer count (crash-1)',
      ...at(200_000, 11),
      state: { samples: [[100_000, 10]] },
    },
  ],
  invalid: [
    {
      why: 'at first sight of a young session all its crashes are recent',
      context: { now_unix: 200_000, shared_state: { crash_count: 11, elapsed_minutes: 1439 } },
      snapshot: { collectors: {} },
      symptoms: ['crash_count_emergency'],
    },
    {
      why: 'what comes after the first sight of an old session counts',
      state: { samples: [[113_600, 11]] },
      context: { now_unix: 200_000, shared_state: { crash_count: 14, elapsed_minutes: 3000 } },
      snapshot: { collectors: {} },
      symptoms: [{ name: 'crash_count_rising', evidenceWith: { recent_crash_count: 3 } }],
    },
    {
      why: 'two crashes are rising',
      context: { shared_state: { crash_count: 2, current_action: 'kernel_opt' } },
      symptoms: [
        {
          name: 'crash_count_rising',
          severity: 'medium',
          source: 'shared_state',
          subject: { agent: 'session' },
          evidence: { crash_count: 2, current_action: 'kernel_opt', recent_crash_count: 2, window_s: DAY },
          summaryMentions: ['2', 'kernel_opt'],
          suggestionMentions: ['recover'],
        },
      ],
    },
    { why: 'four are still rising', ...at(10_000, 4), symptoms: ['crash_count_rising'] },
    {
      why: 'five are many, and an idle session says so',
      ...at(10_000, 5),
      symptoms: [
        {
          name: 'crash_count_high',
          severity: 'high',
          evidenceWith: { crash_count: 5, current_action: '' },
          summaryMentions: ['(idle)'],
          suggestionMentions: ['revert to the baseline'],
        },
      ],
    },
    {
      why: 'ten are an emergency',
      ...at(10_000, 10),
      symptoms: [{ name: 'crash_count_emergency', severity: 'high', suggestionMentions: ['stop'] }],
    },
    {
      why: 'with equal limits the higher tier wins',
      ...at(10_000, 3),
      config: { crash_high_threshold: 3, crash_emergency_threshold: 3 },
      symptoms: ['crash_count_emergency'],
    },
    {
      why: 'only the crashes of the last day are judged, the total is told (crash-1)',
      ...at(200_000, 12),
      state: { samples: [[100_000, 10]] },
      symptoms: [{ name: 'crash_count_rising', evidenceWith: { crash_count: 12, recent_crash_count: 2 } }],
    },
    {
      why: 'a sample that is not yet a day old is no base',
      ...at(100_000 + DAY - 1, 11),
      state: { samples: [[100_000, 10]] },
      symptoms: ['crash_count_emergency'],
    },
  ],
  sequences: [
    {
      why: 'ten crashes on the first day are forgotten on the second',
      steps: [
        { ...at(1_000_000, 10), symptoms: ['crash_count_emergency'] },
        { ...at(1_000_000 + DAY - 1, 10), symptoms: ['crash_count_emergency'] },
        { ...at(1_000_000 + DAY, 10), symptoms: [] },
        { ...at(1_000_000 + DAY + 60, 12), symptoms: ['crash_count_rising'] },
      ],
    },
    {
      why: 'a counter that starts again forgets its samples',
      steps: [
        { ...at(1_000_000, 10), symptoms: ['crash_count_emergency'] },
        {
          ...at(1_000_000 + 2 * DAY, 2),
          symptoms: ['crash_count_rising'],
          stateWith: { samples: [[1_172_800, 2]] },
        },
      ],
    },
    {
      why: 'an unchanged count is sampled once an hour',
      steps: [
        { ...at(1_000_000, 0), symptoms: [] },
        { ...at(1_003_599, 0), symptoms: [], stateWith: { samples: [[1_000_000, 0]] } },
        {
          ...at(1_003_600, 0),
          symptoms: [],
          stateWith: {
            samples: [
              [1_000_000, 0],
              [1_003_600, 0],
            ],
          },
        },
      ],
    },
    {
      why: 'a corrupt slot starts afresh',
      state: { samples: [['x', 1], null, [1], [5, true]] },
      steps: [{ ...at(10_000, 2), symptoms: ['crash_count_rising'], stateWith: { samples: [[10_000, 2]] } }],
    },
  ],
});

describe('crash samples', () => {
  const play = (intervalS: number, check: (recent: unknown, i: number) => void): object => {
    let state = {};
    for (let i = 0; i <= 500; i += 1) {
      const run = runRule(crash, at(1_000_000 + i * intervalS, i), state);
      state = run.finalState({ isSettled: () => true }) ?? state;
      if (i >= 2) check(run.symptoms[0]?.evidence['recent_crash_count'], i);
    }
    return state;
  };

  it('give the exact count of the last day at one crash per half hour', () => {
    play(1800, (recent, i) => expect(recent).toBe(Math.min(i, DAY / 1800)));
  });

  it('stay bounded at any pace and never count too few', () => {
    const state = play(300, (recent, i) => expect(recent).toBeGreaterThanOrEqual(Math.min(i, DAY / 300)));
    expect(state).toHaveProperty('samples.length', 64);
  });
});
