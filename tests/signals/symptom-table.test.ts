import { expect, it } from 'vitest';
import { RULES } from '../../src/signals/registry.js';

/** Rule: symptom, severities, subject keys, nature; the table of spec 04 §12, word for word a contract with readers. */
const TABLE = `
stall agent_stall medium,high agent state
stall agent_quiet_work_progressing low agent state
crash crash_count_rising medium agent state
crash crash_count_high high agent state
crash crash_count_emergency high agent state
event repeated_policy_denied medium agent event
event repeated_failure medium,high family event
event recover_unsuccessful high - event
event idempotency_replay medium action_name event
local_health local_server_unreachable medium,high url state
local_health log_error_pattern low,medium,high pattern event
local_health gpu_thermal_high medium,high gpu_id state
local_health disk_pressure medium,high mountpoint state
local_health shm_pressure medium,high mountpoint state
local_health ray_head_dead high - state
local_health fd_pressure medium,high pid state
gpu_leak gpu_memory_leaked high - state
budget deadline_hard_cutoff high - state
budget deadline_warning medium,high - state
budget deadline_imminent high - state
budget budget_burn_no_gain medium - state
budget budget_strategy_drift medium - state
phase_budget phase_budget_nearly_exhausted medium - state
conversation_progress conversation_no_progress high - state
aiter_jit aiter_jit_regressed high - state
aiter_jit aiter_jit_build_stuck medium - state
progress gain_plateau medium - state
progress no_levers_found medium - state
repeated_payload same_payload_loop high family event
decision_audit empty_patch_kept medium,high kernel_id,patch_path latched
decision_audit decision_threshold_violated medium kernel_id latched
decision_audit kernel_dispatch_bypassed high kernel_id latched
decision_audit kernel_negative_delta_kept high - latched
decision_audit ci_metrics_baseline_zero high - latched
decision_audit ci_metrics_schema_drift medium - latched
model_gpu_fit model_gpu_infeasible medium,high - latched
amdahl_ceiling amdahl_kernel_ceiling_low high - latched
cold_start cold_start_budget_exhausted high - state
critic_health critic_kb_outage high - state
critic_health critic_unavailable_streak high - state
critic_health critic_prune_stuck medium - state
critic_health critic_runtime_stuck high - event
ray_pending ray_pending_starvation high - state
kernel_pipeline geak_budget_starvation medium,high kernel_id event
kernel_pipeline kernel_opt_no_progress high - event
state_integrity state_json_corrupt high - state
state_integrity coordinator_wal_bloat medium,high - state
state_integrity stale_lease medium,high task_id state
state_integrity inbox_bloat low,medium role,kind state
state_integrity coordinator_zombie high - state
state_integrity coordinator_db_corrupt high - state
state_integrity coordinator_db_unreadable medium - state
external_deps gateway_auth_outage medium,high - state
external_deps gateway_unreachable medium,high - state
external_deps wekafs_degraded medium,high path state
external_deps tracelens_cli_missing low,medium,high - latched
engine_progress engine_hang medium,high log state
gpu_health gpu_lost high gpu_id state
gpu_health gpu_contended medium gpu_id state
gpu_health gpu_orphan_holder medium pid state
host_health shm_stale_segments medium mountpoint state
host_health nfs_server_unresponsive high server state
host_health host_oom_kill high process event
denials denial_streak medium,high agent,rule event
overrun budget_overrun high - state
self_health rule_failed low rule latched
self_health collector_degraded low collector state
`;

const WANTED = TABLE.trim()
  .split('\n')
  .map((line) => {
    const [rule, name, severities = '', subject = '', nature] = line.split(' ');
    return {
      rule,
      name,
      severities: severities.split(','),
      subject: subject === '-' ? [] : subject.split(','),
      nature,
    };
  });

it('the rules declare the symptoms of the contract, and no others', () => {
  const declared = RULES.flatMap((rule) =>
    Object.entries(rule.symptoms).map(([name, spec]) => ({
      rule: rule.name,
      name,
      severities: [...spec.severities].sort(bySeverity),
      subject: [...spec.subjectKeys],
      nature: spec.nature,
    })),
  );
  const byName = <T extends { name?: string | undefined }>(a: T, b: T) =>
    String(a.name).localeCompare(String(b.name));
  expect(declared.sort(byName)).toEqual([...WANTED].sort(byName));
  expect(WANTED).toHaveLength(67);
});

function bySeverity(a: string, b: string): number {
  const order = ['low', 'medium', 'high'];
  return order.indexOf(a) - order.indexOf(b);
}
