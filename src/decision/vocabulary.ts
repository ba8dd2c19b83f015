import { lazy } from '../foreign/lazy.js';

/** Required payload keys of every intent type that the host knows (spec 01 §3.1). */
export const REQUIRED_KEYS = {
  send_message: ['topic'],
  delegate: ['action_name'],
  propose_action: ['action_name', 'predicted_gain_pct'],
  update_state: ['changes'],
  alert: ['severity', 'summary'],
  request: ['target_agent', 'kind'],
  response: ['in_reply_to', 'kind'],
  review_verdict: ['target_proposal_msg_id'],
  extend_lease: ['task_id', 'extra_sec'],
  prune_branch: ['family', 'reason'],
  escalate_strategy_change: ['reason', 'next_action_hint'],
  specialist_done: ['gap_canonical_id', 'domain', 'proposal_set', 'empty', 'summary'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Intent types of the host's vocabulary. */
export type KnownIntentType = keyof typeof REQUIRED_KEYS;

/** Types that the robustness role may emit. */
export const ROLE_INTENT_TYPES = [
  'send_message',
  'delegate',
  'update_state',
  'alert',
  'prune_branch',
  'escalate_strategy_change',
] as const satisfies readonly KnownIntentType[];

export type IntentType = (typeof ROLE_INTENT_TYPES)[number];

/** True for a type that this role may emit. */
export function isRoleIntentType(type: string): type is IntentType {
  return ROLE_INTENT_TYPES.some((allowed) => allowed === type);
}

/** Types that may still go out in the closing phase (spec 01 §4.2). */
export const CLOSING_INTENT_TYPES: readonly IntentType[] = ['alert', 'send_message'];

export const SEVERITIES = ['low', 'medium', 'high'] as const;

/** Actions that this role may delegate. */
export const DELEGATE_ACTIONS = ['recover'] as const;

/** State fields that this role may write. */
export const WRITABLE_STATE_FIELDS = ['crash_count', 'current_action'] as const;

/** Hints that the host acts on; others are broadcast and otherwise ignored. */
export const ESCALATE_HINTS = [
  'skip_to_kernel',
  'skip_to_sweep',
  'skip_to_close',
  'extend_explore_budget',
  'extend_kernel_budget',
] as const;

export const PRUNE_SCOPES = ['family', 'queued'] as const;

/** Core state fields, rejected before the allow-list is looked at (spec 01 §3.1). */
export const protectedStateFields = lazy(
  (): ReadonlySet<string> =>
    new Set(
      `baseline_accuracy baseline_config_path baseline_tput baseline_workload_extra bottleneck_shift close_sequence_done
  closing_grace_sec closing_phase collective_attempts collective_only_mode cumulative_gain_validated
  cumulative_gain_validated_stack_len cumulative_gain_validated_ts current_best cycle_minutes cycle_strategy_log
  deadline_unix degraded_mode explore_elapsed_accum_s explore_search failures gain_at_cycle_start gain_per_stack_entry gaps
  gpu_specialist_capacity kb_stage_dead_letter kb_stage_outbox kernel_idle_since_unix kernel_idle_ticks
  kernel_opt_task_attempts kernel_progress_fingerprint last_collective last_consumed_escalate_hint
  last_consumed_escalate_hint_ts last_cycle_bottleneck last_discarded_escalate_hint last_discarded_escalate_hint_ts
  last_kernel_opt last_kernel_opt_dispatch_skip last_profile_workload last_profile_workload_action last_specialist
  last_tick_exception last_trace_analyze lifecycle macro_cycle max_minutes model_arch model_architectures model_class
  model_name model_path model_type model_warnings no_gain_cycle_streak optimization_stack orchestration_memory
  orchestration_memory_history pending_bottleneck_switch pending_escalate_hint pending_integrate
  pending_kernel_integrations phase phase_budget_pct phase_elapsed_totals phase_history phase_started_ts
  phase_started_unix plateau_overrides recipe_finalize_attempts recipe_finalize_outcome recipe_finalize_status
  recipe_kb_session_id research_lane_capacity resume_pending_revalidation resumed_ts rounds_since_last_keep
  rounds_since_last_specialist saturated_directions schema_version session_id specialist_patch_verdicts specialist_rounds
  stack_fingerprint_meta start_ts stop_reason stop_ts warm_history_injected warm_replay_attempted warm_replay_outcome
  warm_start_context warm_start_lessons warm_start_pitfalls warm_start_recipe warm_start_ts`.split(/\s+/),
    ),
);
