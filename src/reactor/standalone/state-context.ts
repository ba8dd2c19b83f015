import {
  finiteNumber,
  integer,
  type JsonObject,
  listOr,
  nonBlank,
  objectOr,
  objectsOf,
  text,
} from '../../foreign/json.js';
import { roundHalfEven } from '../../foreign/round.js';
import { unixSeconds } from '../../foreign/timestamps.js';
import {
  type ConversationProgress,
  defaultSharedState,
  type PhaseBudgetRow,
  type ReactorContext,
  type SharedState,
} from '../context.js';
import type { OwnCount } from './own-count.js';

/** Ticks without progress after which the Coordinator calls a conversation stuck (spec 02 §7). */
const NO_PROGRESS_TICKS = 15;

export interface StateContextParts {
  readonly sessionId: string;
  readonly sessionDir: string;
  readonly nowUnix: number;
  /** `INFERENCE_OPTIMIZER_NO_PROGRESS_TICKS` of the environment. */
  readonly noProgressTicks: string | undefined;
}

/** What a prompt would have said, out of `state.json` (spec 02 §7). */
export function stateContext(state: JsonObject, count: OwnCount, parts: StateContextParts): ReactorContext {
  const { sessionId, sessionDir, nowUnix, noProgressTicks } = parts;
  return {
    session_id: sessionId,
    session_dir: sessionDir,
    tick_index: 0,
    now_unix: nowUnix,
    phase: (text(state['phase']) ?? '').toUpperCase(),
    shared_state: sharedState(state, nowUnix),
    phase_budget: phaseRows(state, nowUnix),
    conversation_progress: progress(count, noProgressTicks),
    inbox: [],
  };
}

/** Changes whenever the conversation makes progress: stack, gain, best result or phase (spec 02 §7). */
export function progressMark(state: JsonObject): string {
  return JSON.stringify([
    listOr(state['optimization_stack']).length,
    finiteNumber(state['cumulative_gain_validated']) ?? 0,
    state['current_best'] ?? null,
    state['phase'] ?? '',
  ]);
}

function sharedState(state: JsonObject, nowUnix: number): SharedState {
  return {
    ...defaultSharedState(),
    model_name: text(state['model_name']) ?? '',
    model_class: text(state['model_class']) ?? '',
    baseline_tput: finiteNumber(state['baseline_tput']) ?? 0,
    cumulative_gain_validated: finiteNumber(state['cumulative_gain_validated']) ?? 0,
    crash_count: integer(state['crash_count']) ?? 0,
    current_action: text(state['current_action']) ?? '',
    tick: integer(state['tick']) ?? 0,
    macro_cycle: integer(state['macro_cycle']) ?? 0,
    stop_reason: text(state['stop_reason']) ?? '',
    optimization_stack_size: listOr(state['optimization_stack']).length,
    kernel_opt_attempts_count: Object.keys(objectOr(state['kernel_opt_task_attempts'])).length,
    has_keep_pending_integrate: hasPendingIntegration(state),
    explore_started: ['last_explore', 'last_sweep'].some(
      (key) => Object.keys(objectOr(state[key])).length > 0,
    ),
    pruned_families: listOr(state['pruned_families']).flatMap((family) => nonBlank(family) ?? []),
    ...timeBudget(state, nowUnix),
  };
}

function hasPendingIntegration(state: JsonObject): boolean {
  const rejected = new Set(listOr(state['rejected_kernel_ids']));
  const attempted = new Set(
    Object.values(objectOr(state['kernel_integrate_attempts'])).map(
      (attempt) => objectOr(attempt)['kernel_id'],
    ),
  );
  return Object.values(objectOr(state['pending_kernel_integrations'])).some((value) => {
    const { status, kernel_id: kernel } = objectOr(value);
    const isPending = status === undefined || status === null || status === '' || status === 'pending';
    return isPending && !rejected.has(kernel ?? null) && !attempted.has(kernel);
  });
}

function timeBudget(state: JsonObject, nowUnix: number) {
  const deadline = finiteNumber(state['deadline_unix']) ?? 0;
  const closing = state['closing_phase'] === true;
  if (deadline <= 0) return { closing_phase: closing };
  const started = unixSeconds(state['start_ts']);
  return {
    elapsed_minutes: started === undefined ? 0 : Math.max(0, nowUnix - started) / 60,
    remaining_minutes: Math.max(0, deadline - nowUnix) / 60,
    budget_minutes: finiteNumber(state['max_minutes']) ?? 0,
    closing_phase: closing,
  };
}

/** Seconds per phase, from the moments at which phases were entered. */
function phaseRows(state: JsonObject, nowUnix: number): PhaseBudgetRow[] {
  const entries = objectsOf(state['phase_history']).flatMap((entry) => {
    const phase = text(entry['to_phase']);
    const from = finiteNumber(entry['ts_unix']) ?? unixSeconds(entry['ts']);
    return phase === undefined || from === undefined ? [] : [{ phase, from }];
  });
  const seconds = new Map<string, number>();
  entries.forEach(({ phase, from }, index) => {
    const to = entries[index + 1]?.from ?? nowUnix;
    seconds.set(phase, (seconds.get(phase) ?? 0) + Math.max(0, to - from));
  });
  const shares = objectOr(state['phase_budget_pct']);
  const budget = (finiteNumber(state['max_minutes']) ?? 0) * 60;
  return [...seconds].map(([phase, elapsed]) => {
    const cap = budget * (finiteNumber(shares[phase]) ?? 0);
    return {
      phase,
      elapsed_sec: Math.trunc(elapsed),
      cap_sec: cap > 0 ? Math.trunc(cap) : -1,
      used_pct: cap > 0 ? roundHalfEven((elapsed / cap) * 100, 0) : 0,
    };
  });
}

function progress(count: OwnCount, configured: string | undefined): ConversationProgress {
  const threshold = /^\s*\d+\s*$/.test(configured ?? '') ? Number(configured) : NO_PROGRESS_TICKS;
  const without = Math.max(0, count.tick - count.progress_tick);
  return {
    ticks_without_progress: without,
    threshold,
    severity: threshold > 0 && without >= threshold ? 'high' : 'ok',
    last_progress_tick: count.progress_tick,
  };
}
