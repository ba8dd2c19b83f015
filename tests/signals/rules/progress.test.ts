import { progress } from '../../../src/signals/rules/progress.js';
import { type Step, testRule } from '../../support/rule-tester.js';

const MINUTE = 60;
const QUICK = { progress_gain_window_min_minutes: 0 };

/** A session with one entry on the stack, ten minutes per tick. */
const at = (tick: number, gain: number, more: object = {}, now = 10_000 + tick * 10 * MINUTE) => ({
  context: {
    now_unix: now,
    shared_state: { tick, cumulative_gain_validated: gain, optimization_stack_size: 1, ...more },
  },
});
const gains = (values: number[], more: object = {}): Step[] =>
  values.map((gain, index) => ({ ...at(index, gain, more), symptoms: [] }));
const P = ['gain_plateau'];

const searched = {
  tick: 8,
  elapsed_minutes: 45,
  explore_started: true,
  optimization_stack_size: 0,
};
const fruitless = (more: object = {}) => ({ context: { shared_state: { ...searched, ...more } } });

/** As our own collectors look: they say so themselves. */
const own = { collectors: {}, local_task_progress: { running_kinds: [] } };
const inBudget = { budget_minutes: 600 };

testRule(progress, {
  valid: [
    {
      why: 'exploring has only just begun, however long the start took',
      ...fruitless({ ...inBudget, elapsed_minutes: 70 }),
      snapshot: own,
      stateWith: { explore_since: 10_000 },
    },
    { why: 'a first tick has no history', ...at(0, 10) },
    { why: 'too early in minutes', ...fruitless({ elapsed_minutes: 44.9 }) },
    { why: 'too early in ticks', ...fruitless({ tick: 7 }) },
    { why: 'there is gain', ...fruitless({ cumulative_gain_validated: 0.5 }) },
    { why: 'kernels were tried', ...fruitless({ kernel_opt_attempts_count: 1 }) },
    { why: 'a kept kernel waits for its integration', ...fruitless({ has_keep_pending_integrate: true }) },
    { why: 'exploring has not begun', ...fruitless({ explore_started: false }) },
    { why: 'the session is closing', ...fruitless({ closing_phase: true }) },
    { why: 'the session is stopped', ...fruitless({ stop_reason: 'x' }) },
    {
      why: 'a specialist is still at work (progress-6)',
      ...fruitless(),
      snapshot: { local_task_progress: { running_kinds: ['explore', 'specialist'] } },
    },
    {
      why: 'a host that asks for more patience gets it',
      ...fruitless(),
      config: { progress_no_levers_min_minutes: 60 },
    },
  ],
  invalid: [
    {
      why: 'after exploring for a while nothing was found',
      ...fruitless(),
      symptoms: [
        {
          name: 'no_levers_found',
          severity: 'medium',
          subject: {},
          source: 'local',
          evidence: {
            elapsed_minutes: 45,
            tick: 8,
            optimization_stack_size: 0,
            cumulative_gain_validated: 0,
            kernel_opt_attempts_count: 0,
            has_keep_pending_integrate: false,
            min_observation_minutes: 45,
            min_observation_ticks: 8,
          },
          suggestionMentions: ['decision_trace.json'],
        },
      ],
    },
    {
      why: 'a loss is no gain',
      ...fruitless({ cumulative_gain_validated: -3 }),
      symptoms: ['no_levers_found'],
    },
    {
      why: 'kernels that were tried long ago do not count when nothing of the kind runs (progress-6)',
      ...fruitless({ kernel_opt_attempts_count: 4 }),
      snapshot: { local_task_progress: { running_kinds: ['explore'] } },
      symptoms: ['no_levers_found'],
    },
    {
      why: 'unknown running kinds leave the attempts in charge (progress-6)',
      ...fruitless(),
      snapshot: { local_task_progress: { running_kinds: null } },
      symptoms: ['no_levers_found'],
    },
  ],
  sequences: [
    {
      why: 'two fifths of the budget without growth is a plateau, less is not',
      steps: [
        ...Array.from(
          { length: 15 },
          (_, tick): Step => ({ ...at(tick, 4, inBudget), snapshot: own, symptoms: [] }),
        ),
        { ...at(24, 4, inBudget), snapshot: own, symptoms: P },
      ],
    },
    {
      why: 'growth begins the time anew',
      steps: [
        ...Array.from(
          { length: 15 },
          (_, tick): Step => ({ ...at(tick, 4, inBudget), snapshot: own, symptoms: [] }),
        ),
        {
          ...at(20, 6, inBudget),
          snapshot: own,
          symptoms: [],
          stateWith: { flat_gain: 6, flat_since: 22_000 },
        },
        ...Array.from(
          { length: 8 },
          (_, n): Step => ({ ...at(21 + n, 6, inBudget), snapshot: own, symptoms: [] }),
        ),
      ],
    },
    {
      why: 'two fifths of the budget of exploring without any find is worth a word',
      steps: [
        { ...fruitless(inBudget), snapshot: own, symptoms: [] },
        {
          context: { now_unix: 10_000 + 239 * MINUTE, shared_state: { ...searched, ...inBudget, tick: 20 } },
          snapshot: own,
          symptoms: [],
        },
        {
          context: { now_unix: 10_000 + 240 * MINUTE, shared_state: { ...searched, ...inBudget, tick: 21 } },
          snapshot: own,
          symptoms: ['no_levers_found'],
        },
      ],
    },
    {
      why: 'a flat window is a plateau from its sixth sample on',
      steps: [
        ...gains([10, 10, 10, 10, 10]),
        {
          ...at(5, 10.0004),
          symptoms: [
            {
              name: 'gain_plateau',
              severity: 'medium',
              evidence: {
                window_ticks: 6,
                history: [10, 10, 10, 10, 10, 10],
                delta_pct: 0,
                epsilon_pct: 0.5,
                current_tick: 5,
              },
              suggestionMentions: ['lock the gain in'],
            },
          ],
        },
        { ...at(5, 10), symptoms: P },
        { ...at(6, 10), symptoms: P },
      ],
    },
    {
      why: 'a flat window without gain calls for the end',
      steps: [
        ...gains([0, 0, 0, 0, 0]),
        { ...at(5, 0), symptoms: [{ name: 'gain_plateau', suggestionMentions: ['skip to close'] }] },
      ],
    },
    { why: 'a spread above epsilon is no plateau', steps: [...gains([10, 10.51, 10, 10, 10, 10])] },
    {
      why: 'a spread of exactly epsilon is one, whatever the binary fractions (progress-2)',
      steps: [...gains([10.1, 10.6, 10.1, 10.1, 10.1]), { ...at(5, 10.1), symptoms: P }],
    },
    { why: 'slow growth is growth (progress-2)', steps: gains([10, 10.1, 10.2, 10.3, 10.4, 10.5]) },
    {
      why: 'six quick ticks are no plateau (progress-1)',
      steps: [0, 1, 2, 3, 4, 5, 6].map((tick) => ({ ...at(tick, 10, {}, 10_000 + tick * 10), symptoms: [] })),
    },
    {
      why: 'the window must span the time exactly (progress-1)',
      steps: [
        ...[0, 1, 2, 3, 4].map((tick) => ({ ...at(tick, 10, {}, 10_000), symptoms: [] })),
        { ...at(5, 10, {}, 10_000 + 30 * MINUTE - 1), symptoms: [] },
        { ...at(5, 10, {}, 10_000 + 30 * MINUTE), symptoms: P },
      ],
    },
    {
      why: 'samples of an old file have no time, so they prove no span (progress-1)',
      state: { gain_history: [10, 10, 10, 10, 10], last_tick: 4 },
      steps: [
        { ...at(5, 10), symptoms: [] },
        ...[6, 7, 8, 9].map((tick) => ({ ...at(tick, 10), symptoms: [] })),
        { ...at(10, 10), symptoms: P },
      ],
    },
    {
      why: 'without the span a few ticks suffice (reference profile)',
      config: QUICK,
      steps: [0, 1, 2, 3, 4, 5].map((tick) => ({
        ...at(tick, 10, {}, 10_000),
        symptoms: tick === 5 ? P : [],
      })),
    },
    {
      why: 'a repeated tick adds no sample',
      steps: [...Array(10)].map(() => ({ ...at(3, 10), symptoms: [], stateWith: { gain_history: [10] } })),
    },
    {
      why: 'an empty stack has no plateau',
      steps: gains([0, 0, 0, 0, 0, 0, 0], { optimization_stack_size: 0 }),
    },
    {
      why: 'a closing tick is not recorded',
      steps: [
        ...gains([10, 10, 10, 10, 10]),
        { ...at(5, 10, { closing_phase: true }), symptoms: [], stateWith: { last_tick: 4 } },
        { ...at(6, 10), symptoms: P },
      ],
    },
    {
      why: 'a macro cycle starts a new history, also without a new tick (progress-5)',
      steps: [
        ...gains([10, 10, 10]),
        { ...at(2, 10, { macro_cycle: 1 }), symptoms: [], stateWith: { gain_history: [], macro_cycle: 1 } },
        { ...at(3, 10, { macro_cycle: 1 }), symptoms: [], stateWith: { gain_history: [10] } },
      ],
    },
    {
      why: 'a session that starts again starts a new history (progress-3)',
      steps: [
        { ...at(10, 10), symptoms: [] },
        { ...at(1, 3), symptoms: [], stateWith: { gain_history: [3], last_tick: 1 } },
        { ...at(2, 3), symptoms: [], stateWith: { gain_history: [3, 3], last_tick: 2 } },
      ],
    },
    {
      why: 'prompts without tick are sampled once a minute (progress-3)',
      steps: [
        { ...at(0, 10, {}, 10_000), symptoms: [], stateWith: { gain_history: [10] } },
        { ...at(0, 10, {}, 10_059), symptoms: [], stateWith: { gain_history: [10] } },
        { ...at(0, 10, {}, 10_060), symptoms: [], stateWith: { gain_history: [10, 10] } },
      ],
    },
    {
      why: 'a window above 32 works (progress-4)',
      config: { progress_gain_window_ticks: 40 },
      steps: [...Array(40).keys()].map((tick) => ({ ...at(tick, 10), symptoms: tick === 39 ? P : [] })),
    },
    {
      why: 'the history stays bounded',
      state: { gain_history: Array(500).fill(10), last_tick: 4 },
      steps: [{ ...at(5, 10), symptoms: [], stateWith: { gain_history: Array(32).fill(10) } }],
    },
    {
      why: 'a corrupt slot means its defaults (G-3)',
      state: { gain_history: [1, 2.5, true, 'x', null], gain_times: 'x', last_tick: '7', macro_cycle: 2.9 },
      steps: [
        {
          ...at(8, 3, { macro_cycle: 2 }),
          symptoms: [],
          stateWith: { gain_history: [1, 2.5, 3], last_tick: 8, macro_cycle: 2 },
        },
      ],
    },
  ],
});
