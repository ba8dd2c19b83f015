import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/foreign/json.js';
import type { SharedState } from '../../../src/reactor/context.js';
import { coldStart, coldStartMinutesFrom } from '../../../src/signals/rules/cold_start.js';
import { type Sight, testRule } from '../../support/rule-tester.js';

function cold(state: Partial<SharedState> = {}, cache: JsonObject = {}, tasks: JsonObject = {}): Sight {
  return {
    context: { shared_state: { budget_minutes: 120, remaining_minutes: 30, ...state } },
    snapshot: {
      local_aiter_jit: { so_count: 5, jit_dir: '/aiter/jit', ...cache },
      local_task_progress: tasks,
    },
  };
}

const name = 'cold_start_budget_exhausted';
const withBaseline = { baseline_tput: 1200 };

testRule(coldStart, {
  valid: [
    { why: 'the cache is warm enough', ...cold({}, { so_count: 20 }) },
    { why: 'nothing is known about the cache', context: cold().context ?? {}, snapshot: {} },
    { why: 'the count is no integer', ...cold({}, { so_count: 5.5 }) },
    { why: 'the count is text', ...cold({}, { so_count: '5' }) },
    { why: 'the time left is just enough', ...cold({ remaining_minutes: 60 }) },
    { why: 'no time is left: the deadline rules say so', ...cold({ remaining_minutes: 0 }) },
    { why: 'the budget is overdrawn', ...cold({ remaining_minutes: -3 }) },
    { why: 'a short session is not judged', ...cold({ budget_minutes: 29.9, remaining_minutes: 3 }) },
    { why: 'a session without a budget', ...cold({ budget_minutes: 0 }) },
    { why: 'the closing phase starts no baseline', ...cold({ closing_phase: true }) },
    { why: 'a stopped session starts none either', ...cold({ stop_reason: 'deadline' }) },
    { why: 'the baseline exists', ...cold(withBaseline) },
    {
      why: 'the baseline exists and other work runs',
      ...cold(withBaseline, {}, { running_kinds: ['sweep'] }),
    },
    { why: 'what runs is unknown, the baseline exists', ...cold(withBaseline, {}, { running_kinds: null }) },
    { why: 'a shorter compile is configured', ...cold(), config: { preflight_cold_start_minutes: 30 } },
    { why: 'fewer modules count as warm', ...cold(), config: { preflight_cold_start_so_count: 5 } },
  ],
  invalid: [
    {
      why: 'a cold cache and half an hour left',
      ...cold(),
      symptoms: [
        {
          name,
          severity: 'high',
          subject: {},
          source: 'local',
          evidence: {
            so_count: 5,
            cold_so_count_threshold: 20,
            remaining_minutes: 30,
            cold_start_minutes: 60,
            jit_dir: '/aiter/jit',
          },
          summaryMentions: ['5 compiled modules', '20', '30.0 minutes', '60', 'killed while compiling'],
          suggestionMentions: ['cached best', 'INFERENCE_OPTIMIZER_COLD_START_TIMEOUT_SEC', 'retry'],
        },
      ],
    },
    { why: 'one module short of warm', ...cold({}, { so_count: 19 }), symptoms: [name] },
    { why: 'a second short of enough', ...cold({ remaining_minutes: 59.99 }), symptoms: [name] },
    {
      why: 'the shortest judged session',
      ...cold({ budget_minutes: 30, remaining_minutes: 3 }),
      symptoms: [name],
    },
    {
      why: 'a shorter session is judged on request',
      ...cold({ budget_minutes: 10, remaining_minutes: 3 }),
      config: { preflight_cold_start_min_budget_minutes: 5 },
      symptoms: [name],
    },
    {
      why: 'the directory is not known',
      ...cold({}, { jit_dir: undefined }),
      symptoms: [{ name, evidenceWith: { jit_dir: null } }],
    },
    {
      why: 'a baseline exists, but another one is about to run',
      ...cold({ ...withBaseline, current_action: ' Baseline ' }),
      symptoms: [name],
    },
    {
      why: 'a baseline exists, but another one runs',
      ...cold(withBaseline, {}, { running_kinds: ['sweep', 'baseline'] }),
      symptoms: [name],
    },
    {
      why: 'a longer compile is configured',
      ...cold({ remaining_minutes: 89 }),
      config: { preflight_cold_start_minutes: 90 },
      symptoms: [{ name, evidenceWith: { cold_start_minutes: 90 } }],
    },
  ],
  sequences: [
    {
      why: 'it is said as long as it holds',
      steps: [
        { ...cold(), symptoms: [name] },
        { ...cold(), symptoms: [name] },
      ],
    },
  ],
});

describe('the length of a cold start in the environment', () => {
  it.each([
    ['5400', 90],
    [' 600 ', 10],
    ['1e3', 16.666666666666668],
    ['abc', 60],
    ['', 60],
    ['nan', 60],
    ['inf', 60],
    ['-5', 60],
    ['0', 60],
    [undefined, 60],
  ])('%j is %d minutes', (value, minutes) => {
    expect(coldStartMinutesFrom({ INFERENCE_OPTIMIZER_COLD_START_TIMEOUT_SEC: value })).toBe(minutes);
  });
});
