import { describe, expect, it } from 'vitest';
import { advance, type OwnCount, parseOwnCount } from '../../../src/reactor/standalone/own-count.js';
import { progressMark, stateContext } from '../../../src/reactor/standalone/state-context.js';

const NOW = 1_772_442_000;
const parts = { sessionId: 's', sessionDir: '/s', nowUnix: NOW, noProgressTicks: undefined };
const fresh = parseOwnCount({});

describe('a context out of state.json', () => {
  it('says what a prompt would have said', () => {
    const state = {
      phase: 'kernel_agent',
      model_name: 'm',
      model_class: 'moe',
      baseline_tput: 10,
      cumulative_gain_validated: 2.5,
      crash_count: 3,
      current_action: 'explore',
      tick: 5,
      stop_reason: '',
      optimization_stack: ['a', 'b'],
      kernel_opt_task_attempts: { k1: 1, k2: 4 },
      pruned_families: ['sweep', ' ', 7],
      last_explore: {},
      last_sweep: { tput: 1 },
      max_minutes: 360,
      deadline_unix: NOW + 1800,
      start_ts: '2026-03-02T04:00:00.000000+00:00',
      closing_phase: false,
      phase_budget_pct: { EXPLORE: 0.5 },
      phase_history: [
        { to_phase: 'PRELUDE', ts_unix: NOW - 18_000 },
        { to_phase: 'EXPLORE', ts_unix: NOW - 9_720 },
      ],
    };
    const context = stateContext(state, fresh, parts);
    expect(context.phase).toBe('KERNEL_AGENT');
    expect(context.shared_state).toMatchObject({
      model_name: 'm',
      crash_count: 3,
      tick: 5,
      optimization_stack_size: 2,
      kernel_opt_attempts_count: 2,
      explore_started: true,
      pruned_families: ['sweep'],
      elapsed_minutes: 300,
      remaining_minutes: 30,
      budget_minutes: 360,
      closing_phase: false,
    });
    expect(context.phase_budget).toEqual([
      { phase: 'PRELUDE', elapsed_sec: 8280, cap_sec: -1, used_pct: 0 },
      { phase: 'EXPLORE', elapsed_sec: 9720, cap_sec: 10_800, used_pct: 90 },
    ]);
  });

  it('says nothing where the state says nothing, or nonsense', () => {
    const nonsense = {
      phase: 5,
      crash_count: 'many',
      optimization_stack: 'x',
      phase_history: [1, null],
      deadline_unix: 'x',
    };
    for (const state of [{}, nonsense]) {
      expect(stateContext(state, fresh, parts)).toMatchObject({
        phase: '',
        phase_budget: [],
        shared_state: { crash_count: 0, optimization_stack_size: 0, budget_minutes: 0, remaining_minutes: 0 },
      });
    }
  });

  it.each([
    [{ a: { kernel_id: 'k1', status: 'pending' } }, [], {}, true],
    [{ a: { kernel_id: 'k1' } }, [], {}, true],
    [{ a: { kernel_id: 'k1', status: 'done' } }, [], {}, false],
    [{ a: { kernel_id: 'k1' } }, ['k1'], {}, false],
    [{ a: { kernel_id: 'k1' } }, [], { x: { kernel_id: 'k1' } }, false],
    [{}, [], {}, false],
  ])('knows a pending integration: %j, rejected %j, tried %j', (pending, rejected, tried, expected) => {
    const state = {
      pending_kernel_integrations: pending,
      rejected_kernel_ids: rejected,
      kernel_integrate_attempts: tried,
    };
    expect(stateContext(state, fresh, parts).shared_state.has_keep_pending_integrate).toBe(expected);
  });
});

describe('the loop’s own tick', () => {
  const at = (count: OwnCount, seconds: number, mark = 'm') => advance(count, mark, NOW + seconds);

  it('advances at most once a minute, and also when the clock goes back', () => {
    const first = at(fresh, 0);
    expect(first.tick).toBe(1);
    expect(at(first, 59).tick).toBe(1);
    expect(at(first, 60).tick).toBe(2);
    expect(at(first, -3600).tick).toBe(2);
  });

  it('counts ticks without progress, and calls it high at the threshold', () => {
    let count = at(fresh, 0);
    for (let tick = 1; tick <= 15; tick += 1) count = at(count, tick * 60);
    const stuck = stateContext({}, count, parts).conversation_progress;
    expect(stuck).toEqual({
      ticks_without_progress: 15,
      threshold: 15,
      severity: 'high',
      last_progress_tick: 1,
    });
    const moved = stateContext({}, at(count, 16 * 60, 'another'), parts).conversation_progress;
    expect(moved).toMatchObject({ ticks_without_progress: 0, severity: 'ok' });
    const patient = stateContext({}, count, { ...parts, noProgressTicks: '40' }).conversation_progress;
    expect(patient).toMatchObject({ threshold: 40, severity: 'ok' });
  });

  it('takes a longer stack, more gain, a new best or another phase for progress, and nothing else', () => {
    const state = {
      optimization_stack: [],
      cumulative_gain_validated: 1,
      current_best: {},
      phase: 'EXPLORE',
    };
    const mark = progressMark(state);
    expect(progressMark({ ...state, tick: 9, crash_count: 4 })).toBe(mark);
    for (const change of [
      { optimization_stack: ['a'] },
      { cumulative_gain_validated: 2 },
      { current_best: { tput: 1 } },
      { phase: 'SWEEP' },
    ]) {
      expect(progressMark({ ...state, ...change })).not.toBe(mark);
    }
  });

  it('comes back from a state file whatever that holds', () => {
    expect(parseOwnCount({ tick: 'x', advanced_unix: null, progress_mark: 5 })).toEqual({
      tick: 0,
      advanced_unix: 0,
      progress_mark: '',
      progress_tick: 0,
    });
  });
});
