import type { CollectorName } from '../../../../src/sources/snapshot.js';
import type { Scenario } from '../../scenario.js';
import { disk } from '../../world/defaults.js';
import { mount, patch, patience, runningEngine, STEADY } from '../parts.js';

/** Machines that cannot be looked at well. */
export const lookingScenarios: readonly Scenario[] = [
  {
    name: 'no-process-list',
    kind: 'healthy',
    story: 'Processes cannot be listed at all.',
    hours: 6,
    life: STEADY,
    plan: (lab) => {
      patience(lab);
      lab.world.blind.set('processes', 'unknown');
    },
  },
  {
    name: 'no-gpu-tool',
    kind: 'healthy',
    story: 'No tool tells anything about the GPUs.',
    hours: 6,
    life: STEADY,
    plan: (lab) => {
      patience(lab);
      lab.world.blind.set('gpu', 'unknown');
    },
  },
  {
    name: 'flaky-gpu-tool',
    kind: 'healthy',
    story: 'The GPU tool hangs every third time, and prints N/A for one GPU now and then.',
    hours: 6,
    life: STEADY,
    plan: (lab) => {
      runningEngine(lab).share = 0.992;
      lab.eachTick(() => {
        lab.world.blind.delete('gpu');
        if (lab.random.chance(0.33)) lab.world.blind.set('gpu', 'timeout');
        for (const gpu of lab.world.gpus) gpu.extra = {};
        const one = lab.world.gpus[lab.random.whole(0, 7)];
        if (one !== undefined && lab.random.chance(0.3))
          one.extra = { error: 'ERROR: GPU[2]: Unable to get memory', error_kind: 'unreadable' };
      });
    },
  },
  {
    name: 'everything-blinks',
    kind: 'healthy',
    story: 'A loaded node: any collector may run out of time at any tick.',
    hours: 6,
    life: STEADY,
    plan: (lab) => {
      runningEngine(lab);
      const names: readonly CollectorName[] = [
        'events',
        'tasks',
        'gpu',
        'processes',
        'health',
        'logs',
        'state',
        'kernel',
        'ray',
        'aiter',
        'audit',
        'gateway',
        'mounts',
        'disk',
      ];
      lab.eachTick(() => {
        lab.world.blind.clear();
        for (const name of names) {
          if (!lab.random.chance(0.07)) continue;
          for (const same of name === 'events' || name === 'tasks'
            ? (['events', 'tasks', 'leases'] as const)
            : [name]) {
            lab.world.blind.set(same, 'timeout');
          }
        }
      });
    },
  },
  {
    name: 'unprivileged-container',
    kind: 'healthy',
    story:
      'A container without rights: no kernel log, no holders of GPU memory, processes of strangers unknown.',
    hours: 5,
    life: STEADY,
    plan: (lab) => {
      runningEngine(lab);
      const { world } = lab;
      world.blind.set('kernel', 'unknown');
      world.processes.push({
        pid: 7120,
        cmd: 'python3 -m sglang.launch_server --port 30000',
        cwd: '',
        isServer: true,
        owned: null,
        startedAt: world.now - 40_000,
      });
      lab.eachTick(() => {
        for (const gpu of world.gpus) gpu.holders = null;
      });
    },
  },
  {
    name: 'database-not-there-yet',
    kind: 'healthy',
    story: 'The first looks come before the Coordinator has made its database and its state file.',
    hours: 2,
    life: { cadence: 'steady', pause: [1, 3] },
    plan: (lab) => {
      patience(lab);
      const { world } = lab;
      world.dbStatus = 'missing';
      world.state.valid = false;
      world.state.error = 'missing';
      world.state.sizeBytes = 0;
      lab.life.writesState = false;
      lab.at(9, () => {
        world.dbStatus = 'ok';
        lab.life.writesState = true;
        world.writeState();
      });
    },
  },
  {
    name: 'backup-locks-the-database',
    kind: 'healthy',
    story: 'Once an hour a backup holds the database for four minutes.',
    hours: 6,
    life: STEADY,
    plan: (lab) => {
      patience(lab);
      lab.eachMinute(() => {
        lab.world.dbStatus = lab.minute % 60 >= 40 && lab.minute % 60 < 44 ? 'locked' : 'ok';
      });
    },
  },
  {
    name: 'slow-but-alive-mount',
    kind: 'healthy',
    story: 'A network file system answers in one to four seconds, always.',
    hours: 6,
    life: STEADY,
    plan: (lab) => {
      patience(lab);
      lab.eachTick(() => mount(lab, { latency_ms: lab.random.between(700, 4400) }));
    },
  },
  {
    name: 'large-disk-many-percent',
    kind: 'healthy',
    story: 'A shared file system of 140 TB at 96 percent, with five terabytes to spare.',
    hours: 6,
    life: STEADY,
    plan: (lab) => {
      patience(lab);
      patch(lab, 'local_disk', { '/srv': disk(140_210, 135_004, 'nfs4') });
    },
  },
  {
    name: 'shm-in-use',
    kind: 'healthy',
    story: 'Collective buffers of living processes fill two thirds of /dev/shm.',
    hours: 4,
    life: STEADY,
    plan: (lab) => {
      runningEngine(lab);
      patch(lab, 'local_disk', { '/dev/shm': disk(64, 43.1, 'tmpfs') });
    },
  },
  {
    name: 'gateway-hiccups',
    kind: 'healthy',
    story: 'One request in fifteen to the gateway fails with 502 or takes too long.',
    hours: 6,
    life: STEADY,
    plan: (lab) => {
      patience(lab);
      lab.eachTick(() => {
        const fails = lab.random.chance(0.07);
        patch(lab, 'local_external_deps', {
          gateway: fails
            ? {
                url: 'https://gw.lab.invalid/v1/models',
                reachable: false,
                status: 'server_error',
                status_code: 502,
                fail_streak: 1,
              }
            : {
                url: 'https://gw.lab.invalid/v1/models',
                reachable: true,
                status: 'ok',
                status_code: 200,
                fail_streak: 0,
              },
        });
      });
    },
  },
  {
    name: 'restricted-key',
    kind: 'healthy',
    story: 'The key may complete but not list models; the probe has no key of its own.',
    hours: 5,
    life: STEADY,
    plan: (lab) => {
      patience(lab);
      patch(lab, 'local_external_deps', {
        gateway: {
          url: 'https://gw.lab.invalid/v1/models',
          reachable: true,
          status: 'unauthenticated_probe',
          status_code: 401,
          authenticated: false,
          fail_streak: 0,
        },
      });
    },
  },
  {
    name: 'lagging-state-file',
    kind: 'healthy',
    story:
      'The state file is hours older than the prompt and now and then caught in the middle of its renaming.',
    hours: 6,
    life: STEADY,
    plan: (lab) => {
      patience(lab);
      lab.life.writesState = false;
      lab.eachTick(() => {
        lab.world.state.valid = !lab.random.chance(0.05);
        lab.world.state.error = 'missing';
      });
    },
  },
  {
    name: 'resources-in-the-hundreds',
    kind: 'healthy',
    story:
      'A few hundred descriptors, a log of transactions of half a gigabyte, mailboxes of forty megabytes.',
    hours: 5,
    life: STEADY,
    plan: (lab) => {
      patience(lab);
      lab.world.walBytes = 560_000_000;
      lab.world.agents = {
        critic: { inbox_bytes: 41_000_000, outbox_bytes: 2_000_000, inbox_path: 'a', outbox_path: 'b' },
      };
      patch(lab, 'local_fd', { used: 742, limit: 1024, used_pct: 72.46 });
    },
  },
];
