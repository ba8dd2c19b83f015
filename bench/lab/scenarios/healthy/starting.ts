import type { Scenario } from '../../scenario.js';
import { keepServer, patch, patience, runningEngine, STEADY } from '../parts.js';

/** Starts, restarts and pauses of servers. */
export const startingScenarios: readonly Scenario[] = [
  {
    name: 'cold-start-fifty-minutes',
    kind: 'healthy',
    story: 'The first server loads weights and compiles kernels for the better part of an hour.',
    hours: 4,
    life: { cadence: 'steady', pause: [3, 7], firstLoad: [46, 57] },
    plan: patience,
  },
  {
    name: 'cold-kernel-cache',
    kind: 'healthy',
    story: 'An empty kernel cache fills while compilers are at work; the lock is held by one that lives.',
    hours: 3,
    life: { cadence: 'steady', pause: [4, 9], firstLoad: [38, 52], budgetMinutes: 900 },
    plan: (lab) => {
      patience(lab);
      let count = 0;
      lab.eachTick(() => {
        count = Math.min(141, count + lab.random.whole(4, 11));
        const busy = count < 141;
        patch(lab, 'local_aiter_jit', {
          so_count: count,
          build_count: busy ? 5 : 2,
          lock_count: busy ? 1 : 0,
          oldest_lock_age_s: busy ? 1290 : null,
          live_compilers: busy ? 6 : 0,
        });
      });
    },
  },
  {
    name: 'server-for-every-variant',
    kind: 'healthy',
    story: 'Every variant gets a server of its own, on a port of its own.',
    hours: 6,
    life: { ...STEADY, laterLoad: [7, 24] },
    plan: patience,
  },
  {
    name: 'warm-server-other-port',
    kind: 'healthy',
    story: 'One server stays for many tasks; twice it is replaced by one on another port.',
    hours: 7,
    life: STEADY,
    plan: (lab) => {
      keepServer(lab);
      for (const minute of [140, 290]) lab.at(minute, () => lab.life.job === null && lab.life.stopServer());
    },
  },
  {
    name: 'no-server-for-hours',
    kind: 'healthy',
    story: 'Long research without any server; nothing listens and nothing should.',
    hours: 6,
    life: { ...STEADY, phase: 'KERNEL_AGENT' },
    plan: patience,
  },
  {
    name: 'idle-between-requests',
    kind: 'healthy',
    story: 'A server is up, nobody asks it anything: no tokens, none running, none waiting.',
    hours: 5,
    life: STEADY,
    isLive: true,
    plan: (lab) => {
      const engine = runningEngine(lab, 'vllm');
      lab.life.proposes = false;
      lab.eachMinute(() => {
        engine.load = { running: 0, waiting: 0, tokensPerS: 0 };
      });
    },
  },
  {
    name: 'restart-within-minutes',
    kind: 'healthy',
    story: 'Warm servers are stopped and started again; for minutes the old address refuses.',
    hours: 6,
    life: { ...STEADY, laterLoad: [5, 12], pause: [2, 4] },
    plan: patience,
  },
  {
    name: 'weights-over-a-slow-network',
    kind: 'healthy',
    story: 'Every server reads its weights from a network file system and needs half an hour.',
    hours: 7,
    life: { ...STEADY, laterLoad: [24, 41], pause: [4, 9] },
    plan: patience,
  },
];
