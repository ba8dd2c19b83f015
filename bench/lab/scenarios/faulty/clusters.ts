import type { Scenario } from '../../scenario.js';
import { engineLog, patch, patience, STEADY, someMinute } from '../parts.js';

const LOGS = 'log_error_pattern';

/** The Ray cluster and the cache of compiled kernels. */
export const clusterFaults: readonly Scenario[] = [
  {
    name: 'ray-head-dies',
    kind: 'faulty',
    story: 'The head of the Ray cluster is gone, and with it what waited there.',
    hours: 3,
    life: { ...STEADY, phase: 'KERNEL_AGENT' },
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab);
      lab.world.slots.local_ray = {
        healthy: true,
        stdout_head: 'ok',
        pending_tasks: 0,
        pending_placement_groups: 0,
        returncode: 0,
      };
      lab.at(from, () => {
        lab.world.slots.local_ray = {
          healthy: false,
          reason: 'head_unreachable',
          stderr: 'ConnectionError: could not find any running Ray instance',
          returncode: 1,
        };
      });
      lab.fault({
        cause: 'the raylet of the head was killed',
        from,
        right: ['ray_head_dead'],
        company: ['ray_pending_starvation', 'kernel_opt_no_progress', 'geak_budget_starvation'],
        severity: 'high',
      });
    },
  },
  {
    name: 'ray-quota-wedged',
    kind: 'faulty',
    story: 'Six tasks wait for GPUs that the cluster will never have.',
    hours: 3.5,
    life: { ...STEADY, phase: 'KERNEL_AGENT' },
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab);
      lab.eachTick(() => {
        const waiting = lab.minute >= from ? 6 : lab.random.whole(0, 1);
        lab.world.slots.local_ray = {
          healthy: true,
          stdout_head: 'ok',
          pending_tasks: waiting,
          pending_placement_groups: 0,
          returncode: 0,
        };
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
          '[aiter] waiting for baton release at /opt/aiter/jit/build/lock_module_moe_asm',
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
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab);
      lab.at(from, () => patch(lab, 'local_aiter_jit', { so_count: 2, build_count: 0 }));
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
    life: { ...STEADY, phase: 'PRELUDE', budgetMinutes: 200 },
    plan: (lab) => {
      patience(lab);
      const { coordinator } = lab.world;
      coordinator.startedAt -= 153 * 60;
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
