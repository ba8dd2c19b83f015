import type { JsonObject } from '../../foreign/json.js';
import type { Mt19937 } from '../../stats/mt19937.js';

/** How a finding of a symptom looks; numbers are drawn. */
export interface FindingTemplate {
  readonly summary: (evidence: JsonObject) => string;
  readonly evidence: (random: Mt19937) => JsonObject;
}

const tenths = (random: Mt19937, low: number, high: number): number =>
  random.integer(low * 10, high * 10) / 10;

function template(
  evidence: FindingTemplate['evidence'],
  summary: FindingTemplate['summary'],
): FindingTemplate {
  return { evidence, summary };
}

/** Templates of all symptoms that generated cases use. */
export const FINDING_TEMPLATES: Readonly<Record<string, FindingTemplate>> = {
  gpu_memory_leaked: template(
    (r) => ({
      gpu: r.integer(0, 7),
      used_gb: tenths(r, 40, 180),
      owner_pid: null,
      free_gb: tenths(r, 1, 12),
    }),
    (e) => `GPU ${e['gpu']} holds ${e['used_gb']} GiB that no live process owns`,
  ),
  disk_pressure: template(
    (r) => ({ mount: '/data', free_gb: tenths(r, 0, 2), used_percent: tenths(r, 97, 99) }),
    (e) => `${e['mount']} is ${e['used_percent']} % full`,
  ),
  ray_head_dead: template(
    (r) => ({ gcs_port: 6379, silent_s: r.integer(90, 900), probe: 'connection refused' }),
    (e) => `the Ray head has not answered for ${e['silent_s']} s`,
  ),
  gateway_auth_outage: template(
    (r) => ({ status: 401, failures: r.integer(12, 90), window_s: r.integer(120, 600) }),
    (e) => `the model gateway refused ${e['failures']} requests with 401`,
  ),
  wekafs_degraded: template(
    (r) => ({ read_ms: r.integer(800, 9000), baseline_ms: r.integer(11, 40), mount: '/weka' }),
    (e) => `reads from ${e['mount']} take ${e['read_ms']} ms`,
  ),
  amdahl_kernel_ceiling_low: template(
    (r) => ({ kernel_share: r.integer(11, 29) / 100, best_speedup: tenths(r, 1, 2) }),
    (e) => `kernels are ${e['kernel_share']} of the time`,
  ),
  model_gpu_infeasible: template(
    (r) => ({ model_gb: r.integer(300, 900), gpu_gb: r.integer(64, 192), tensor_parallel: 1 }),
    (e) => `the model needs ${e['model_gb']} GiB, one GPU has ${e['gpu_gb']}`,
  ),
  budget_strategy_drift: template(
    (r) => ({
      planned_share: r.integer(12, 25) / 100,
      spent_share: r.integer(55, 90) / 100,
      phase: 'explore',
    }),
    (e) => `${e['phase']} used ${e['spent_share']} of the time, planned were ${e['planned_share']}`,
  ),
  empty_patch_kept: template(
    (r) => ({ patch_bytes: 0, iteration: r.integer(11, 60), decision: 'keep' }),
    (e) => `iteration ${e['iteration']} kept a patch without content`,
  ),
  coordinator_zombie: template(
    (r) => ({ pid: r.integer(2000, 30000), state: 'Z', heartbeat_age_s: r.integer(300, 3000) }),
    (e) => `the coordinator process ${e['pid']} is defunct`,
  ),
  critic_kb_outage: template(
    (r) => ({ store: 'critic_kb', failures: r.integer(12, 60), last_error: 'index unreadable' }),
    (e) => `the knowledge base failed ${e['failures']} times`,
  ),
  crash_count_high: template(
    (r) => ({ crashes: r.integer(5, 9), window_min: r.integer(15, 60) }),
    (e) => `${e['crashes']} crashes in ${e['window_min']} minutes`,
  ),
  crash_count_rising: template(
    (r) => ({ crashes: r.integer(3, 6), window_min: r.integer(15, 60) }),
    (e) => `${e['crashes']} crashes in ${e['window_min']} minutes, and rising`,
  ),
  recover_unsuccessful: template(
    (r) => ({ attempts: r.integer(2, 5), last_attempt_age_s: r.integer(60, 600) }),
    (e) => `${e['attempts']} recoveries changed nothing`,
  ),
  state_json_corrupt: template(
    (r) => ({ file: 'state.json', parse_error_at: r.integer(100, 9000) }),
    (e) => `${e['file']} cannot be parsed`,
  ),
  log_error_pattern: template(
    (r) => ({ matches: r.integer(11, 200), pattern: 'Traceback' }),
    (e) => `${e['matches']} error lines in the server log`,
  ),
  ray_pending_starvation: template(
    (r) => ({ pending: r.integer(12, 90), oldest_s: r.integer(300, 2000) }),
    (e) => `${e['pending']} tasks are pending`,
  ),
  agent_stall: template(
    (r) => ({ agent: 'kernel_agent', silent_min: r.integer(15, 90) }),
    (e) => `${e['agent']} has been silent for ${e['silent_min']} minutes`,
  ),
  critic_unavailable_streak: template(
    (r) => ({ streak: r.integer(4, 12) }),
    (e) => `the critic was unavailable ${e['streak']} times in a row`,
  ),
  repeated_failure: template(
    (r) => ({ action: 'tune_config', failures: r.integer(3, 8) }),
    (e) => `${e['action']} failed ${e['failures']} times`,
  ),
  aiter_jit_build_stuck: template(
    (r) => ({ module: 'moe_sorting', building_min: r.integer(15, 60) }),
    (e) => `the build of ${e['module']} has taken ${e['building_min']} minutes`,
  ),
  gain_plateau: template(
    (r) => ({ best_gain: r.integer(1, 40) / 1000, iterations: r.integer(6, 20) }),
    (e) => `${e['iterations']} iterations without gain`,
  ),
  no_levers_found: template(
    (r) => ({ proposals: 0, iterations: r.integer(3, 9) }),
    (e) => `no lever in ${e['iterations']} iterations`,
  ),
  deadline_warning: template(
    (r) => ({ remaining_min: r.integer(12, 45) }),
    (e) => `${e['remaining_min']} minutes are left`,
  ),
  budget_burn_no_gain: template(
    (r) => ({ spent_share: r.integer(60, 90) / 100, gain: 0 }),
    (e) => `${e['spent_share']} of the budget is spent without gain`,
  ),
  inbox_bloat: template(
    (r) => ({ unread: r.integer(300, 3000) }),
    (e) => `${e['unread']} messages are unread`,
  ),
  stale_lease: template(
    (r) => ({ lease: 'gpu_pool', age_s: r.integer(600, 6000) }),
    (e) => `the lease ${e['lease']} is ${e['age_s']} s old`,
  ),
  critic_prune_stuck: template(
    (r) => ({ branch: 'b7', waiting_ticks: r.integer(6, 20) }),
    (e) => `the prune of ${e['branch']} waits`,
  ),
  tracelens_cli_missing: template(
    () => ({ binary: 'tracelens' }),
    () => 'the trace tool is not installed',
  ),
  fd_pressure: template(
    (r) => ({ open: r.integer(700, 800), limit: 1024 }),
    (e) => `${e['open']} of ${e['limit']} files are open`,
  ),
  conversation_no_progress: template(
    (r) => ({ turns: r.integer(3, 6) }),
    (e) => `${e['turns']} turns without a decision`,
  ),
  agent_quiet_work_progressing: template(
    (r) => ({ agent: 'bench_agent', silent_min: r.integer(11, 20) }),
    (e) => `${e['agent']} is quiet, its work goes on`,
  ),
  phase_budget_nearly_exhausted: template(
    (r) => ({ phase: 'profile', used_share: r.integer(85, 95) / 100 }),
    (e) => `${e['phase']} has used ${e['used_share']} of its time`,
  ),
};
