/** What a symptom is about; one one-hot feature each (spec 06 F.9, features 12–22). */
export const FAMILIES = [
  'agent',
  'crash',
  'branch',
  'host',
  'kernel',
  'budget',
  'progress',
  'audit',
  'critic',
  'state',
  'deps',
] as const;

export type Family = (typeof FAMILIES)[number];

/**
 * How a symptom's end is judged: `L` level, it can cease; `G` by growth, new events of its kind; `M` monotone and `O`
 * one-shot, never; `R` record, by new subjects.
 */
export type LabelKind = 'L' | 'G' | 'M' | 'R' | 'O';

export interface SymptomClass {
  /** Null for a symptom that no family lists. */
  readonly family: Family | null;
  readonly kind: LabelKind;
}

/** The table of spec 06 F.9: per family and kind the symptom names. */
const TABLE: readonly (readonly [Family, LabelKind, string])[] = [
  ['agent', 'L', 'agent_stall agent_quiet_work_progressing conversation_no_progress'],
  ['crash', 'M', 'crash_count_rising crash_count_high crash_count_emergency'],
  ['branch', 'G', 'repeated_failure same_payload_loop repeated_policy_denied'],
  ['branch', 'L', 'idempotency_replay'],
  ['branch', 'R', 'recover_unsuccessful'],
  [
    'host',
    'L',
    'local_server_unreachable gpu_thermal_high gpu_memory_leaked disk_pressure shm_pressure fd_pressure ray_head_dead',
  ],
  ['host', 'G', 'log_error_pattern'],
  [
    'kernel',
    'L',
    'ray_pending_starvation geak_budget_starvation kernel_opt_no_progress aiter_jit_regressed aiter_jit_build_stuck',
  ],
  ['kernel', 'O', 'amdahl_kernel_ceiling_low'],
  [
    'budget',
    'M',
    'deadline_warning deadline_imminent deadline_hard_cutoff budget_burn_no_gain budget_strategy_drift',
  ],
  ['budget', 'M', 'phase_budget_nearly_exhausted cold_start_budget_exhausted'],
  ['progress', 'L', 'gain_plateau no_levers_found'],
  [
    'audit',
    'R',
    'empty_patch_kept decision_threshold_violated kernel_dispatch_bypassed kernel_negative_delta_kept',
  ],
  ['audit', 'R', 'ci_metrics_baseline_zero ci_metrics_schema_drift'],
  ['critic', 'L', 'critic_kb_outage critic_unavailable_streak critic_prune_stuck critic_runtime_stuck'],
  ['state', 'L', 'state_json_corrupt coordinator_wal_bloat stale_lease inbox_bloat coordinator_zombie'],
  ['deps', 'L', 'gateway_auth_outage wekafs_degraded'],
  ['deps', 'O', 'tracelens_cli_missing model_gpu_infeasible'],
];

const CLASSES: ReadonlyMap<string, SymptomClass> = new Map(
  TABLE.flatMap(([family, kind, names]) => names.split(' ').map((name) => [name, { family, kind }])),
);
const UNKNOWN: SymptomClass = { family: null, kind: 'L' };

/** Family and label kind of a symptom; no family and `L` for an unknown name. */
export function classOf(symptom: string): SymptomClass {
  return CLASSES.get(symptom) ?? UNKNOWN;
}

/** Symptoms whose growth the session database can show: new failed results of their family (spec 06 F.10). */
export const FAILURE_SYMPTOMS: ReadonlySet<string> = new Set(['repeated_failure', 'same_payload_loop']);
