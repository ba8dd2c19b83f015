import type { Scenario } from '../../scenario.js';
import { rayAnswers, rayFails } from '../../world/ray.js';
import { engineLog, patch, patience, STEADY, someMinute } from '../parts.js';

const LOGS = 'log_error_pattern';

/** Ways in which `ray status` says that there is no head. */
const HEADLESS: readonly (readonly [string, string, string, ...string[]])[] = [
  [
    'ray-head-dies',
    'The head of the Ray cluster is gone, and with it what waited there.',
    'Unable to connect to GCS at 10.40.3.17:6379. Check that',
    'Traceback (most recent call last):',
    '  File "/opt/venv/bin/ray", line 8, in <module>',
    '    sys.exit(main())',
    'RuntimeError: Unable to connect to GCS at 10.40.3.17:6379. Check that (1) Ray GCS with matching version started successfully at the specified address, and (2) there is no firewall.',
  ],
  [
    'ray-head-dies-behind-grpc',
    'The same as another release says it: the cause stands in the lines below the exception.',
    'failed to connect to all addresses; last error: UNKNOWN: ipv4:10.40.3.17:6379',
    'Traceback (most recent call last):',
    '  File "/opt/venv/lib/python3.12/site-packages/ray/scripts/scripts.py", line 2117, in status',
    '    ray_args = check_no_existing_redis_clients(address)',
    'grpc._channel._InactiveRpcError: <_InactiveRpcError of RPC that terminated with:',
    '\tstatus = StatusCode.UNAVAILABLE',
    '\tdetails = "failed to connect to all addresses; last error: UNKNOWN: ipv4:10.40.3.17:6379: Failed to connect to remote host: connect: Connection refused (111)"',
    '>',
  ],
  [
    'ray-head-dies-in-silence',
    'The address still answers, the head behind it does not, and the command says so after a while.',
    'Failed to get cluster status from GCS: RPC error: Deadline Exceeded',
    'Traceback (most recent call last):',
    '  File "/opt/venv/lib/python3.12/site-packages/ray/autoscaler/v2/sdk.py", line 104, in get_cluster_status',
    '    reply = get_gcs_client(gcs_address).get_cluster_status()',
    'ray.exceptions.RaySystemError: System error: Failed to get cluster status from GCS: RPC error: Deadline Exceeded',
  ],
];

const headless = HEADLESS.map(
  ([name, story, wording, ...stderr]): Scenario => ({
    name,
    kind: 'faulty',
    story,
    hours: 3,
    life: { ...STEADY, phase: 'KERNEL_AGENT' },
    unseen: { ray_head_dead: wording },
    isLive: true,
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab);
      lab.world.ray = rayAnswers();
      lab.at(from, () => {
        lab.world.ray = rayFails(...stderr);
      });
      lab.fault({
        cause: 'the head of the cluster was killed',
        from,
        right: ['ray_head_dead'],
        company: ['ray_pending_starvation', 'kernel_opt_no_progress', 'geak_budget_starvation'],
        severity: 'high',
      });
    },
  }),
);

/** The Ray cluster and the cache of compiled kernels. */
export const clusterFaults: readonly Scenario[] = [
  ...headless,
  {
    name: 'ray-gives-no-answer',
    kind: 'faulty',
    story: 'The head is there and answers nobody: `ray status` hangs until it is ended.',
    hours: 3,
    life: { ...STEADY, phase: 'KERNEL_AGENT' },
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab);
      lab.world.ray = rayAnswers();
      lab.at(from, () => {
        lab.world.ray = { kind: 'hangs' };
      });
      lab.fault({
        cause: 'the head of the cluster is frozen',
        from,
        visibleAfter: 4,
        right: ['ray_head_dead'],
        severity: 'high',
      });
    },
  },
  {
    name: 'ray-quota-wedged',
    kind: 'faulty',
    story: 'Thousands of tasks wait for GPUs that the cluster will never have.',
    hours: 3.5,
    life: { ...STEADY, phase: 'KERNEL_AGENT' },
    unseen: { ray_pending_starvation: '5318' },
    isLive: true,
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab);
      lab.eachTick(() => {
        const waiting = lab.minute >= from ? 5318 : lab.random.whole(0, 1);
        lab.world.ray = rayAnswers(`{'GPU': 4.0, 'kernel_bench': 1.0}: ${waiting}+ pending tasks/actors`);
      });
      lab.fault({
        cause: 'the demand exceeds what the cluster has',
        from,
        visibleAfter: 45,
        right: ['ray_pending_starvation'],
        severity: 'high',
      });
    },
  },
  {
    name: 'baton-of-a-dead-compiler',
    kind: 'faulty',
    story: 'A compiler was killed and left its lock; every server waits for it.',
    hours: 3,
    life: STEADY,
    unseen: { aiter_jit_build_stuck: 'lock_module_fmoe_2stages_bf16' },
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab);
      lab.eachTick(() => {
        if (lab.minute < from) return;
        patch(lab, 'local_aiter_jit', {
          lock_count: 1,
          oldest_lock_age_s: (lab.minute - from) * 60,
          live_compilers: 0,
          build_count: 4,
        });
        lab.world.log(
          engineLog(lab),
          '[aiter] waiting for baton release at /opt/aiter/jit/build/lock_module_fmoe_2stages_bf16',
        );
      });
      lab.fault({
        cause: 'the lock of a dead compiler',
        from,
        visibleAfter: 5,
        right: ['aiter_jit_build_stuck', 'log_error_pattern:waiting for baton release'],
        company: [LOGS],
      });
    },
  },
  {
    name: 'kernel-cache-wiped',
    kind: 'faulty',
    story: 'Somebody cleans up: the compiled kernels are gone in the middle of a session.',
    hours: 3,
    life: STEADY,
    unseen: { aiter_jit_regressed: '/scratch/jit-gfx942-rocm7' },
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab);
      lab.at(from, () => patch(lab, 'local_aiter_jit', { so_count: 2, build_count: 0 }));
      patch(lab, 'local_aiter_jit', { jit_dir: '/scratch/jit-gfx942-rocm7' });
      lab.fault({
        cause: 'the kernel cache was deleted',
        from,
        right: ['aiter_jit_regressed'],
        company: ['cold_start_budget_exhausted'],
        severity: 'high',
      });
    },
  },
  {
    name: 'too-late-for-a-cold-start',
    kind: 'faulty',
    story: 'The first baseline has not begun, the kernels are not compiled, 47 minutes are left.',
    hours: 1,
    life: { ...STEADY, phase: 'PRELUDE', budgetMinutes: 211 },
    unseen: { cold_start_budget_exhausted: 'budget=211min' },
    plan: (lab) => {
      patience(lab);
      const { coordinator } = lab.world;
      coordinator.startedAt -= 164 * 60;
      patch(lab, 'local_aiter_jit', { so_count: 6 });
      lab.fault({
        cause: 'a cold compile takes longer than what is left',
        from: 0,
        right: ['cold_start_budget_exhausted'],
        company: [
          'deadline_imminent',
          'deadline_warning',
          'deadline_hard_cutoff',
          'budget_burn_no_gain',
          'budget_overrun',
          'phase_budget_nearly_exhausted',
        ],
        severity: 'high',
      });
    },
  },
];
