import type { Scenario } from '../../scenario.js';
import { disk } from '../../world/defaults.js';
import { gateway, mount, patch, patience, runningEngine, STEADY, someMinute } from '../parts.js';

const LOGS = 'log_error_pattern';

/** Hosts and services around the session that give way. */
export const hostFaults: readonly Scenario[] = [
  {
    name: 'disk-fills-up',
    kind: 'faulty',
    story: 'Traces fill the disk: from 80 to 99 percent within two hours.',
    hours: 4,
    life: STEADY,
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab, 20, 40);
      lab.eachTick(() => {
        const used = 715 + Math.max(0, lab.minute - from) * 1.4;
        patch(lab, 'local_disk', { '/': disk(893.8, Math.min(888, used), 'overlay') });
      });
      lab.fault({
        cause: 'profile traces fill the disk',
        from,
        visibleAfter: 33,
        right: ['disk_pressure'],
        company: [LOGS],
      });
    },
  },
  {
    name: 'disk-of-the-traces-full',
    kind: 'faulty',
    story: 'Traces go to a file system of their own; from one look to the next it is full to the last block.',
    hours: 3,
    life: STEADY,
    isLive: true,
    plan: (lab) => {
      runningEngine(lab);
      const { world } = lab;
      const path = `${world.sessionDir}/traces`;
      const from = someMinute(lab);
      world.options = { disk_mountpoints: ['/', '/dev/shm', path] };
      patch(lab, 'local_disk', { [path]: disk(32, 19.7, 'tmpfs') });
      lab.at(from, () => patch(lab, 'local_disk', { [path]: disk(32, 32, 'tmpfs') }));
      lab.fault({
        cause: 'a profile of every layer was taken',
        from,
        right: ['disk_pressure'],
        severity: 'high',
      });
    },
  },
  {
    name: 'no-space-left',
    kind: 'faulty',
    story: 'A quota of the project is used up; the file system as a whole has room.',
    hours: 3,
    life: STEADY,
    unseen: { log_error_pattern: "'/srv/cache/triton/0f3c/kernel.hsaco.tmp'" },
    isLive: true,
    plan: (lab) => {
      const engine = runningEngine(lab);
      const from = someMinute(lab);
      lab.at(from, () =>
        lab.world.log(
          engine.log,
          "OSError: [Errno 28] No space left on device: '/srv/cache/triton/0f3c/kernel.hsaco.tmp'",
        ),
      );
      lab.fault({
        cause: 'the quota of the project is used up',
        from,
        until: from + 20,
        right: [LOGS],
        company: ['repeated_failure'],
      });
    },
  },
  {
    name: 'inodes-run-out',
    kind: 'faulty',
    story: 'Millions of small cache files use up the inodes of a disk that has space left.',
    hours: 3,
    life: STEADY,
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab);
      lab.at(from, () =>
        patch(lab, 'local_disk', {
          '/': { ...disk(893.8, 412.9, 'overlay'), inodes_used_pct: 99.98 },
        }),
      );
      lab.fault({
        cause: 'a cache of compiled kernels has one file per variant',
        from,
        right: ['disk_pressure'],
      });
    },
  },
  {
    name: 'shared-memory-full',
    kind: 'faulty',
    story: 'A pod with 16 GiB of shared memory at 94 percent.',
    hours: 3,
    life: STEADY,
    unseen: { shm_pressure: '15.07' },
    plan: (lab) => {
      runningEngine(lab);
      const from = someMinute(lab);
      lab.at(from, () => patch(lab, 'local_disk', { '/dev/shm': disk(16, 15.07, 'tmpfs') }));
      lab.fault({ cause: 'the shared memory of the pod is too small', from, right: ['shm_pressure'] });
    },
  },
  {
    name: 'segments-left-behind',
    kind: 'faulty',
    story: 'Crashed runs left five gigabytes of collective buffers in shared memory.',
    hours: 3,
    life: STEADY,
    unseen: { shm_stale_segments: '5412880111' },
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab, 20, 50);
      lab.at(from, () => {
        lab.world.slots.local_shm = [
          {
            mountpoint: '/dev/shm',
            stale_count: 37,
            stale_bytes: 5_412_880_111,
            names: ['nccl-9aK2pQ', 'nccl-x01Ttt', 'psm_4411'],
          },
        ];
      });
      lab.fault({ cause: 'buffers of dead processes', from, right: ['shm_stale_segments'] });
    },
  },
  {
    name: 'host-kills-the-server',
    kind: 'faulty',
    story: 'The kernel ends the server for lack of memory in its control group.',
    hours: 3,
    life: STEADY,
    unseen: { host_oom_kill: 'sglang::tokeniz' },
    plan: (lab) => {
      const engine = runningEngine(lab);
      const from = someMinute(lab);
      lab.at(from, () => {
        lab.life.stopServer();
        lab.life.finish();
        lab.world.kernelSays(
          'sglang::tokeniz invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=986',
          `Memory cgroup out of memory: Killed process ${engine.pid} (sglang::tokeniz) total-vm:918402112kB, anon-rss:262118400kB`,
          `oom_reaper: reaped process ${engine.pid} (sglang::tokeniz), now anon-rss:0kB, file-rss:81kB`,
        );
      });
      lab.fault({
        cause: 'the control group ran out of memory',
        from,
        until: from + 20,
        right: ['host_oom_kill'],
        company: [LOGS, 'local_server_unreachable', 'repeated_failure'],
        severity: 'high',
      });
    },
  },
  {
    name: 'nfs-server-silent',
    kind: 'faulty',
    story: 'The kernel waits for the NFS server; whatever touches the mount hangs.',
    hours: 3,
    life: STEADY,
    unseen: { nfs_server_unresponsive: 'stor-b12.cluster' },
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab);
      lab.at(from, () => {
        for (let i = 0; i < 3; i += 1)
          lab.world.kernelSays('nfs: server stor-b12.cluster not responding, still trying');
      });
      lab.eachTick(() => {
        if (lab.minute >= from) mount(lab, { ok: false, error: 'timeout', latency_ms: 5000 });
      });
      lab.fault({
        cause: 'the NFS server is down',
        from,
        visibleAfter: 1,
        right: ['nfs_server_unresponsive', 'wekafs_degraded'],
        company: ['agent_stall', 'tracelens_cli_missing'],
      });
    },
  },
  {
    name: 'metadata-server-hung',
    kind: 'faulty',
    story:
      'A parallel file system without NFS: its metadata server hangs, and whatever asks for a name waits.',
    hours: 3,
    life: STEADY,
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab);
      lab.at(from, () =>
        lab.world.kernelSays('ceph: mds0 hung', 'libceph: mds0 (1)10.2.0.31:6801 socket closed'),
      );
      lab.eachTick(() => {
        if (lab.minute >= from) mount(lab, { ok: false, error: 'timeout', latency_ms: 5000 });
      });
      lab.fault({
        cause: 'the metadata server hangs',
        from,
        right: ['wekafs_degraded'],
        company: ['agent_stall', 'tracelens_cli_missing'],
        severity: 'high',
      });
    },
  },
  {
    name: 'mount-dropped',
    kind: 'faulty',
    story: 'The daemon behind a mount has ended; whoever touches it is told at once.',
    hours: 3,
    life: STEADY,
    unseen: { wekafs_degraded: 'ENOTCONN: transport endpoint is not connected' },
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab);
      lab.at(from, () =>
        mount(lab, {
          ok: false,
          error: 'oserror: ENOTCONN: transport endpoint is not connected',
          latency_ms: 0.4,
        }),
      );
      lab.fault({
        cause: 'the client of the file system crashed',
        from,
        right: ['wekafs_degraded'],
        severity: 'high',
      });
    },
  },
  {
    name: 'mount-gets-slower',
    kind: 'faulty',
    story: 'The latency of a mount grows from milliseconds to twenty seconds.',
    hours: 3.5,
    life: STEADY,
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab, 30, 60);
      lab.eachTick(() => {
        if (lab.minute >= from)
          mount(lab, { latency_ms: Math.min(21_000, 90 * 1.09 ** (lab.minute - from)) });
      });
      lab.fault({ cause: 'the storage is overloaded', from, visibleAfter: 47, right: ['wekafs_degraded'] });
    },
  },
  {
    name: 'key-revoked',
    kind: 'faulty',
    story: 'The key of the gateway is revoked; from then on no agent gets an answer.',
    hours: 3,
    life: STEADY,
    unseen: { gateway_auth_outage: 'key of tenant lab-7 expired' },
    isLive: true,
    plan: (lab) => {
      runningEngine(lab);
      const from = someMinute(lab);
      let streak = 0;
      lab.eachTick(() => {
        if (lab.minute < from) return;
        streak += 1;
        gateway(lab, {
          status: 'unauthorized',
          status_code: 401,
          error: 'key of tenant lab-7 expired',
          fail_streak: streak,
        });
        lab.life.speaks.orchestration = false;
        lab.life.speaks.critic = false;
      });
      lab.fault({
        cause: 'the gateway rejects the key',
        from,
        right: ['gateway_auth_outage'],
        company: [
          'agent_stall',
          'critic_unavailable_streak',
          'conversation_no_progress',
          'agent_quiet_work_progressing',
          'gain_plateau',
          'no_levers_found',
        ],
      });
    },
  },
  {
    name: 'gateway-down',
    kind: 'faulty',
    story: 'The gateway cannot be reached any more.',
    hours: 3.5,
    life: STEADY,
    unseen: { gateway_unreachable: 'getaddrinfo SERVFAIL gw.lab.invalid' },
    isLive: true,
    plan: (lab) => {
      runningEngine(lab);
      const from = someMinute(lab);
      let streak = 0;
      lab.eachTick(() => {
        if (lab.minute < from) return;
        streak += 1;
        gateway(lab, {
          reachable: false,
          status: 'error',
          error: 'getaddrinfo SERVFAIL gw.lab.invalid',
          fail_streak: streak,
        });
        lab.life.speaks.orchestration = false;
        lab.life.speaks.critic = false;
      });
      lab.fault({
        cause: 'the name of the gateway resolves no more',
        from,
        right: ['gateway_unreachable'],
        company: [
          'agent_stall',
          'critic_unavailable_streak',
          'conversation_no_progress',
          'gain_plateau',
          'no_levers_found',
        ],
      });
    },
  },
  {
    name: 'trace-tool-missing',
    kind: 'faulty',
    story: 'A profile has been asked for and the tool that reads it is not installed.',
    hours: 3,
    life: STEADY,
    unseen: { tracelens_cli_missing: 'TraceLens_compare_perf_reports_pytorch' },
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab, 20, 60);
      lab.at(from, () =>
        patch(lab, 'local_external_deps', {
          tracelens_cli: {
            cli_names: ['TraceLens_compare_perf_reports_pytorch'],
            found: { TraceLens_compare_perf_reports_pytorch: false },
            any_present: false,
            root_set: true,
            profile_requested: true,
          },
        }),
      );
      lab.fault({
        cause: 'the report tool is not on the path',
        from,
        right: ['tracelens_cli_missing'],
        severity: 'medium',
      });
    },
  },
  {
    name: 'descriptors-leak',
    kind: 'faulty',
    story: 'The Coordinator leaks a descriptor per request until none is left.',
    hours: 4,
    life: STEADY,
    unseen: { fd_pressure: '19874' },
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab, 20, 40);
      lab.eachTick(() => {
        const used = Math.round(Math.min(19_874, 14_400 + Math.max(0, lab.minute - from) * 53));
        patch(lab, 'local_fd', { used, limit: 20_000, used_pct: Math.round((used / 20_000) * 10_000) / 100 });
      });
      lab.fault({
        cause: 'connections are never closed',
        from,
        visibleAfter: 30,
        right: ['fd_pressure'],
        company: [LOGS],
      });
    },
  },
];
