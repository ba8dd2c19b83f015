import { describe, expect, it } from 'vitest';
import { RULES } from '../../src/signals/registry.js';
import { LOG_PATTERNS } from '../../src/signals/shared/log-patterns.js';
import type { Symptom } from '../../src/signals/symptom.js';
import { decideOn, symptom } from '../decision/ladder/ladder-run.js';

const SPECS = new Map(RULES.flatMap((rule) => Object.entries(rule.symptoms)));

/** Names of the symptoms that reach the Coordinator when all of these are present for the first time. */
function sent(...symptoms: readonly Symptom[]): string[] {
  const decision = decideOn({}, symptoms, 1, { specOf: (name) => SPECS.get(name) });
  return decision.emissions.map((emission) => emission.symptom.name);
}

function high(name: string, subject: Symptom['subject'] = {}, evidence: Symptom['evidence'] = {}): Symptom {
  return symptom(name, 'high', { subject, evidence });
}

function log(number: number): Symptom {
  const pattern = LOG_PATTERNS.find((candidate) => candidate.number === number)?.id ?? '';
  return high('log_error_pattern', { pattern });
}

const orchestrationStalls = high('agent_stall', { agent: 'orchestration' });
const criticStalls = high('agent_stall', { agent: 'critic' });
const deadServer = high('local_server_unreachable', { url: 'http://127.0.0.1:8888/health' });
const hang = high('engine_hang', { log: 'a' });
const noProgress = high('conversation_no_progress');

const lostGpu = high('gpu_lost', { gpu_id: '3' });
const oomKill = high('host_oom_kill', { process: 'vllm' });
const tooBig = high('model_gpu_infeasible');
const noAccess = high('gateway_auth_outage');
const noGateway = high('gateway_unreachable');
const criticStuck = high('critic_runtime_stuck');
const zombie = high('coordinator_zombie');
const late = high('budget_overrun');
const emptyPatch = high('empty_patch_kept', { kernel_id: 'k1', patch_path: '/p' });
const bypassed = high('kernel_dispatch_bypassed', { kernel_id: 'k1' });
const lowGain = high('decision_threshold_violated', { kernel_id: 'k1' });
const zeroBaseline = high('ci_metrics_baseline_zero');
const loop = high('same_payload_loop', { family: 'sweep' });
const denied = high('denial_streak', { agent: 'orchestration', rule: 'r' });
const noKernelGain = high('kernel_opt_no_progress');
const nfs = high('nfs_server_unresponsive', { server: 'nas1' });
const staleShm = high('shm_stale_segments', { mountpoint: '/dev/shm' });
const brokenDb = high('coordinator_db_corrupt');

function mount(evidence: Symptom['evidence']): Symptom {
  return high('wekafs_degraded', { path: '/mnt' }, evidence);
}

const LATE_BUSINESS = [
  'deadline_imminent',
  'budget_burn_no_gain',
  'budget_strategy_drift',
  'phase_budget_nearly_exhausted',
  'gain_plateau',
  'no_levers_found',
  'cold_start_budget_exhausted',
  'deadline_hard_cutoff',
  'deadline_warning',
];

describe('a cause speaks for its consequences', () => {
  it.each<[string, Symptom, Symptom]>([
    ['a lost GPU for memory that looks leaked', lostGpu, high('gpu_memory_leaked')],
    ['a lost GPU for the driver’s complaints', lostGpu, log(31)],
    ['a lost GPU for a dead engine', lostGpu, log(39)],
    ['a lost GPU for collective timeouts', lostGpu, log(15)],
    ['a lost GPU for its own temperature', lostGpu, high('gpu_thermal_high', { gpu_id: '3' })],
    ['a lost GPU for a hanging engine', lostGpu, hang],
    ['a lost GPU for a dead server', lostGpu, deadServer],
    ['a kill for its line in the log', oomKill, log(36)],
    ['a kill for a dead engine', oomKill, log(38)],
    ['a kill for a dead server', oomKill, deadServer],
    ['a model that cannot fit for its out-of-memory lines', tooBig, log(18)],
    ['a model that cannot fit for a server that never came up', tooBig, deadServer],
    [
      'a model that cannot fit for failing baselines',
      tooBig,
      high('repeated_failure', { family: 'baseline' }),
    ],
    ['a hanging engine for the waiting orchestration', hang, orchestrationStalls],
    ['rejected credentials for any stalled agent', noAccess, criticStalls],
    ['rejected credentials for fallback verdicts', noAccess, high('critic_unavailable_streak')],
    ['a silent gateway for a hanging critic', noGateway, criticStuck],
    ['a silent gateway for a conversation without progress', noGateway, noProgress],
    ['a hanging critic for its silence', criticStuck, criticStalls],
    ['a hanging critic for its fallbacks', criticStuck, high('critic_unavailable_streak')],
    ['a hanging critic for its line in the log', criticStuck, log(1)],
    ['a dead Coordinator for stalled agents', zombie, criticStalls],
    ['a dead Coordinator for the leases of its tasks', zombie, high('stale_lease', { task_id: 't' })],
    ['a dead Coordinator for the overrun', zombie, late],
    ['an empty patch for a kernel that never ran', emptyPatch, bypassed],
    ['an empty patch for a gain that is too small', emptyPatch, lowGain],
    ['a kernel that never ran for a gain that is too small', bypassed, lowGain],
    ['a zero baseline for an old schema', zeroBaseline, high('ci_metrics_schema_drift')],
    ['a payload loop for the failures of its family', loop, high('repeated_failure', { family: 'sweep' })],
    [
      'a payload loop for fresh keys of its action',
      loop,
      high('idempotency_replay', { action_name: 'sweep' }),
    ],
    [
      'a denial streak for the count of denials',
      denied,
      high('repeated_policy_denied', { agent: 'orchestration' }),
    ],
    ['a denial streak of orchestration for its lack of progress', denied, noProgress],
    [
      'fruitless kernel work for a starving kernel',
      noKernelGain,
      high('geak_budget_starvation', { kernel_id: 'k' }),
    ],
    ['a silent NFS server for a mount that hangs', nfs, mount({ error: 'timeout' })],
    ['a silent NFS server for a slow mount', nfs, mount({ latency_ms: 9000, warn_ms: 5000 })],
    [
      'a broken mount for the tools on it',
      mount({ env_name: 'TRACELENS_ROOT' }),
      high('tracelens_cli_missing'),
    ],
    ['left-overs for full shared memory', staleShm, high('shm_pressure', { mountpoint: '/dev/shm' })],
    ['a damaged database for its size', brokenDb, high('coordinator_wal_bloat')],
    ...LATE_BUSINESS.map((name): [string, Symptom, Symptom] => [`an overrun for ${name}`, late, high(name)]),
    ...LATE_BUSINESS.map((name): [string, Symptom, Symptom] => [
      `a dead Coordinator for ${name}`,
      zombie,
      high(name),
    ]),
  ])('%s', (_why, cause, consequence) => {
    expect(sent(cause, consequence)).toEqual([cause.name]);
    expect(sent(consequence), 'alone it speaks for itself').toEqual([consequence.name]);
  });
});

describe('a cause does not swallow', () => {
  it.each<[string, Symptom, Symptom]>([
    ['another GPU’s temperature', lostGpu, high('gpu_thermal_high', { gpu_id: '4' })],
    ['an out-of-memory line when a GPU is lost', lostGpu, log(18)],
    ['a page fault when a process was killed for memory', oomKill, log(28)],
    ['failing sweeps when the model cannot fit', tooBig, high('repeated_failure', { family: 'sweep' })],
    ['a stalled critic when the engine hangs', hang, criticStalls],
    ['the knowledge base when the gateway is out', noAccess, high('critic_kb_outage')],
    ['a stalled orchestration when the critic hangs', criticStuck, orchestrationStalls],
    ['another time-out line when the critic hangs', criticStuck, log(15)],
    ['a damaged state file when the Coordinator is dead', zombie, high('state_json_corrupt')],
    ['the crash count when the session overruns', late, high('crash_count_high', { agent: 'session' })],
    ['another kernel’s gain', emptyPatch, high('decision_threshold_violated', { kernel_id: 'k2' })],
    ['kept regressions when the baseline is zero', zeroBaseline, high('kernel_negative_delta_kept')],
    ['the failures of another family', loop, high('repeated_failure', { family: 'params' })],
    ['the denials of another agent', denied, high('repeated_policy_denied', { agent: 'critic' })],
    [
      'a conversation without progress when the critic is denied',
      high('denial_streak', { agent: 'critic', rule: 'r' }),
      noProgress,
    ],
    ['a mount that is not there when an NFS server is silent', nfs, mount({ error: 'not_found' })],
    [
      'missing tools when another mount is broken',
      mount({ env_name: 'INFERENCEX_PATH' }),
      high('tracelens_cli_missing'),
    ],
    ['pressure on another file system', staleShm, high('shm_pressure', { mountpoint: '/run/shm' })],
    ['a zombie when the database is damaged', brokenDb, zombie],
  ])('%s', (_why, cause, other) => {
    expect(sent(cause, other).toSorted()).toEqual([cause.name, other.name].toSorted());
  });

  it('what is more severe than itself', () => {
    const mild = symptom('gateway_auth_outage', 'medium');
    expect(sent(high('critic_unavailable_streak'), mild)).toHaveLength(2);
  });
});
