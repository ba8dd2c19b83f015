import type { Json, JsonObject } from '../foreign/json.js';

/** One row of the prompt's inbox (spec 01 §2.8). */
export type InboxItem = {
  readonly seq: number;
  readonly msg_id: string;
  readonly from_agent: string;
  readonly topic: string;
  readonly payload: JsonObject;
};

/** One row of the phase budget telemetry (spec 01 §2.6); `cap_sec` -1 = unlimited. */
export type PhaseBudgetRow = {
  readonly phase: string;
  readonly elapsed_sec: number;
  readonly cap_sec: number;
  readonly used_pct: number;
};

/** The conversation progress line (spec 01 §2.7); counts in ticks. */
export type ConversationProgress = {
  readonly ticks_without_progress: number;
  readonly threshold: number;
  /** Lower case. */
  readonly severity: string;
  readonly last_progress_tick: number;
};

/** The shared session state with its time budget (spec 01 §2.4, §2.5). */
export type SharedState = {
  readonly model_name: string;
  readonly model_class: string;
  /** Tokens/s. */
  readonly baseline_tput: number;
  /** Percent. */
  readonly cumulative_gain_validated: number;
  readonly crash_count: number;
  readonly current_action: string;
  readonly tick: number;
  readonly macro_cycle: number;
  readonly stop_reason: string;
  readonly optimization_stack_size: number;
  readonly kernel_opt_attempts_count: number;
  readonly has_keep_pending_integrate: boolean;
  readonly explore_started: boolean;
  readonly pruned_families: readonly string[];
  readonly elapsed_minutes: number;
  readonly remaining_minutes: number;
  /** 0 = no wall-clock budget. */
  readonly budget_minutes: number;
  readonly closing_phase: boolean;
};

/** All that a tick knows from its request: the parsed prompt and the clock. */
export type ReactorContext = {
  readonly session_id: string;
  readonly session_dir: string;
  /** `context.tick_index` of the request; informational. */
  readonly tick_index: number;
  /** Unix s, always finite and > 0: the request's clock, or the wall clock (spec 03 G-11). */
  readonly now_unix: number;
  readonly phase: string;
  readonly shared_state: SharedState;
  readonly phase_budget: readonly PhaseBudgetRow[];
  readonly conversation_progress: ConversationProgress | null;
  readonly inbox: readonly InboxItem[];
};

/** The shared state of a prompt that says nothing. */
export function defaultSharedState(): SharedState {
  return {
    model_name: '',
    model_class: '',
    baseline_tput: 0,
    cumulative_gain_validated: 0,
    crash_count: 0,
    current_action: '',
    tick: 0,
    macro_cycle: 0,
    stop_reason: '',
    optimization_stack_size: 0,
    kernel_opt_attempts_count: 0,
    has_keep_pending_integrate: false,
    explore_started: false,
    pruned_families: [],
    elapsed_minutes: 0,
    remaining_minutes: 0,
    budget_minutes: 0,
    closing_phase: false,
  };
}

/** A payload that is an object, whatever arrived. */
export type Payload = { readonly [key: string]: Json | undefined };
