import type { Scenario } from '../../scenario.js';
import { patience, runningEngine, STEADY } from '../parts.js';

/** What servers write while they are being stopped, as they are after every variant. */
const FAREWELL = [
  'Received signal 15, shutting down',
  'Process EngineCore_DP0:',
  'Traceback (most recent call last):',
  '  File "/usr/lib/python3.12/multiprocessing/process.py", line 314, in _bootstrap',
  '    self.run()',
  'SystemExit',
  'INFO: Finished server process [4410]',
  '[rank0]:[W405 06:31:07.118 ProcessGroupNCCL.cpp:1479] Warning: WARNING: destroy_process_group() was not called before program exit, which can leak resources.',
  "/usr/lib/python3.12/multiprocessing/resource_tracker.py:254: UserWarning: resource_tracker: There appear to be 1 leaked shared_memory objects to clean up at shutdown: {'/psm_b1c07d42'}",
  'Exception ignored in: <function Pool.__del__ at 0x7f1e5c0a3d80>',
  'terminated by the harness, exit status -15',
] as const;

/** What the kernel of a healthy node writes all day. */
const KERNEL_CHATTER = [
  '[drm] Fence fallback timer expired on ring sdma0.0',
  'pcieport 0000:40:01.1: AER: Corrected error message received from 0000:41:00.0',
  'mce: CPU41: Core temperature above threshold, cpu clock throttled (total events = 12)',
  'perf: interrupt took too long (2511 > 2500), lowering kernel.perf_event_max_sample_rate to 79500',
  'amdgpu 0000:05:00.0: amdgpu: RAS: 1 correctable hardware errors detected in umc block',
  'python3[51877]: segfault at 18 ip 00007f0a1c2b sp 00007ffd4e6c error 4 in libpython3.12.so.1.0',
  'TCP: request_sock_TCP: Possible SYN flooding on port 8000. Sending cookies.',
  'nvme nvme3: I/O 112 QID 4 timeout, completion polled',
] as const;

/** Words in logs and of the kernel that have nothing to do with the health of this session. */
export const soundingScenarios: readonly Scenario[] = [
  {
    name: 'noisy-shutdowns',
    kind: 'healthy',
    story: 'Every variant has a server of its own, and every server says a long farewell when it is ended.',
    hours: 6,
    life: { ...STEADY, laterLoad: [4, 9] },
    plan: (lab) => {
      patience(lab);
      lab.eachMinute(() => {
        const { engine, job } = lab.life;
        if (engine !== null && job !== null && job.endsAt - lab.world.now <= 60)
          lab.world.log(engine.log, ...FAREWELL);
      });
    },
  },
  {
    name: 'log-of-an-earlier-run',
    kind: 'healthy',
    story: 'Logs of a run that ended badly yesterday lie beside those of today.',
    hours: 4,
    life: STEADY,
    plan: (lab) => {
      const { world } = lab;
      const now = world.now;
      world.now -= 19 * 3600;
      world.log(
        'runs/explore/yesterday/server.log',
        'HIP out of memory. Tried to allocate 7.81 GiB. GPU 2 has a total capacity of 191.98 GiB of which 96.00 MiB is free.',
        'RuntimeError: NCCL error 5',
        '(EngineCore_DP0) ERROR EngineCore died',
      );
      world.now = now;
      runningEngine(lab);
    },
  },
  {
    name: 'kernel-that-chatters',
    kind: 'healthy',
    story: 'The kernel writes of corrected errors, expired timers and crashes of programs that are not ours.',
    hours: 5,
    life: STEADY,
    plan: (lab) => {
      runningEngine(lab);
      lab.every(7, 4, 300, () =>
        lab.world.kernelSays(KERNEL_CHATTER[lab.random.whole(0, KERNEL_CHATTER.length - 1)] ?? ''),
      );
    },
  },
  {
    name: 'neighbour-killed-for-memory',
    kind: 'healthy',
    story: 'The kernel ends a job of somebody else that took too much memory; ours goes on.',
    hours: 4,
    life: STEADY,
    plan: (lab) => {
      runningEngine(lab);
      const { world } = lab;
      world.processes.push({
        pid: 91_234,
        cmd: 'python preprocess.py --shards 512',
        cwd: '/home/other',
        isServer: false,
        owned: false,
        startedAt: world.now - 3000,
      });
      lab.at(95, () =>
        world.kernelSays(
          'Memory cgroup out of memory: Killed process 91234 (python) total-vm:412002112kB, anon-rss:400118400kB',
          'oom_reaper: reaped process 91234 (python), now anon-rss:0kB, file-rss:0kB',
        ),
      );
    },
  },
  {
    name: 'file-server-blinks',
    kind: 'healthy',
    story: 'Every hour the kernel complains of the file server, and half a minute later all is well.',
    hours: 6,
    life: STEADY,
    plan: (lab) => {
      patience(lab);
      lab.every(60, 33, 360, () => {
        lab.world.kernelSays('nfs: server home-a.cluster not responding, still trying');
        lab.world.kernel.push({ text: 'nfs: server home-a.cluster OK', at: lab.world.now + 28 });
      });
    },
  },
];
