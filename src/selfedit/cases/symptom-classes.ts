/** Root-cause classes that `rca` may name, a closed list (spec 08 §21). */
const CLASSES = {
  resource_leak: [
    'gpu_memory_leaked',
    'disk_pressure',
    'shm_pressure',
    'fd_pressure',
    'gpu_thermal_high',
    'ray_head_dead',
    'aiter_jit_regressed',
    'aiter_jit_build_stuck',
    'recover_unsuccessful',
    'gpu_contended',
    'gpu_orphan_holder',
    'shm_stale_segments',
    'host_oom_kill',
  ],
  no_progress_loop: [
    'same_payload_loop',
    'gain_plateau',
    'no_levers_found',
    'idempotency_replay',
    'repeated_failure',
    'repeated_policy_denied',
    'denial_streak',
  ],
  infeasible_config: ['model_gpu_infeasible', 'amdahl_kernel_ceiling_low', 'cold_start_budget_exhausted'],
  server_error: ['log_error_pattern', 'local_server_unreachable', 'engine_hang'],
  critic_outage: [
    'critic_kb_outage',
    'critic_unavailable_streak',
    'critic_prune_stuck',
    'critic_runtime_stuck',
  ],
  kernel_pipeline_starvation: ['ray_pending_starvation', 'geak_budget_starvation', 'kernel_opt_no_progress'],
  bad_decision: [
    'empty_patch_kept',
    'decision_threshold_violated',
    'kernel_dispatch_bypassed',
    'kernel_negative_delta_kept',
    'ci_metrics_baseline_zero',
    'ci_metrics_schema_drift',
  ],
  budget_exhaustion: [
    'budget_strategy_drift',
    'budget_burn_no_gain',
    'deadline_imminent',
    'deadline_warning',
    'deadline_hard_cutoff',
    'phase_budget_nearly_exhausted',
    'budget_overrun',
  ],
  state_corruption: [
    'state_json_corrupt',
    'coordinator_wal_bloat',
    'stale_lease',
    'inbox_bloat',
    'coordinator_zombie',
    'coordinator_db_corrupt',
    'coordinator_db_unreadable',
  ],
  dependency_outage: [
    'gateway_auth_outage',
    'gateway_unreachable',
    'wekafs_degraded',
    'nfs_server_unresponsive',
    'gpu_lost',
    'tracelens_cli_missing',
  ],
  agent_stall: ['agent_stall', 'agent_quiet_work_progressing', 'conversation_no_progress'],
  crash_loop: ['crash_count_rising', 'crash_count_high', 'crash_count_emergency'],
  insufficient_evidence: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Names of all classes. */
export const RCA_CLASSES: readonly string[] = Object.keys(CLASSES);

/** Symptoms about the guardian itself: they are no cause of what happens in a session. */
export const OWN_SYMPTOMS: ReadonlySet<string> = new Set(['rule_failed', 'collector_degraded']);

/** Symptom to class. */
export const CLASS_OF_SYMPTOM: ReadonlyMap<string, string> = new Map(
  Object.entries(CLASSES).flatMap(([name, symptoms]) =>
    symptoms.map((symptom): [string, string] => [symptom, name]),
  ),
);

/** Root symptom to what it brings about, louder than itself (spec 08 §21). */
export const CASCADES: Readonly<Record<string, readonly string[]>> = {
  gpu_memory_leaked: ['crash_count_high', 'recover_unsuccessful'],
  disk_pressure: ['state_json_corrupt', 'log_error_pattern'],
  ray_head_dead: ['ray_pending_starvation', 'agent_stall'],
  gateway_auth_outage: ['critic_unavailable_streak', 'repeated_failure', 'agent_stall'],
  wekafs_degraded: ['aiter_jit_build_stuck', 'agent_stall'],
  amdahl_kernel_ceiling_low: ['gain_plateau', 'no_levers_found'],
  model_gpu_infeasible: ['crash_count_rising', 'log_error_pattern'],
  budget_strategy_drift: ['deadline_warning', 'budget_burn_no_gain'],
  empty_patch_kept: ['gain_plateau'],
  coordinator_zombie: ['inbox_bloat', 'stale_lease'],
  critic_kb_outage: ['critic_prune_stuck'],
};

/** Symptoms that have nothing to do with any root. */
export const DISTRACTORS: readonly string[] = [
  'tracelens_cli_missing',
  'fd_pressure',
  'conversation_no_progress',
  'agent_quiet_work_progressing',
  'phase_budget_nearly_exhausted',
];
