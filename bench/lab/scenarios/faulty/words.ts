import type { Scenario } from '../../scenario.js';
import { runningEngine, STEADY, someMinute } from '../parts.js';

/** Last words of engines as operators quote them; none of them is a detector's own example. */
const LAST_WORDS: readonly (readonly [string, string, ...string[]])[] = [
  [
    'died-of-a-failing-child',
    'The engine ends because one of its children did.',
    'Received sigquit from a child process. It usually means the child failed.',
  ],
  [
    'died-of-its-own-watchdog',
    'A watchdog inside the engine ends it: no forward pass for five minutes.',
    'Watchdog timeout (self.watchdog_last_forward_tick=118842, self.watchdog_timeout=300)',
  ],
  [
    'died-of-a-segfault',
    'The native stack trace of a crash, in the words of its library.',
    '!!!!!!! Segfault encountered !!!!!!!',
    '  File "<unknown>", line 0, in hsa_amd_memory_pool_free',
  ],
  [
    'died-of-a-scheduler-exception',
    'The scheduler of the engine meets an exception that nobody handles.',
    'Scheduler hit an exception: Traceback (most recent call last):',
    '  File "/sgl/srt/managers/scheduler.py", line 2611, in run_scheduler_process',
    "KeyError: 'model.layers.41.mlp.experts.w13_weight_scale'",
  ],
  [
    'died-of-a-lost-worker',
    'One worker process of eight is gone and the executor shuts down.',
    'ERROR 04-05 19:44:02 [multiproc_executor.py:140] Worker proc VllmWorker-3 died unexpectedly, shutting down executor.',
  ],
  [
    'no-room-for-the-cache',
    'Weights leave no memory for the cache, so the engine refuses to start.',
    'ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing the engine.',
  ],
  [
    'not-enough-memory-at-start',
    'The same on another engine.',
    'Not enough memory. Please try to increase --mem-fraction-static.',
  ],
  [
    'network-lost-between-nodes',
    'A network card loses its link in the middle of a collective.',
    'node-2:8123:8441 [3] NCCL WARN NET/IB : Got completion from peer 10.1.9.4<51888> with status=12 opcode=0 len=0 vendor err 129',
    'torch.distributed.DistBackendError: RCCL communicator was aborted on rank 3',
  ],
  [
    'reset-in-the-middle',
    'The driver resets a GPU while it is in use; the log of the node says so.',
    'amdgpu 0000:83:00.0: amdgpu: GPU reset begin!. Source: 1',
  ],
];

/** Engines that die with words of their own: the process is gone, its task fails, a log tells why. */
export const wordFaults: readonly Scenario[] = LAST_WORDS.map(([name, story, ...words]) => ({
  name,
  kind: 'faulty',
  story,
  hours: 2.6,
  life: STEADY,
  isUnseen: true,
  plan: (lab) => {
    const engine = runningEngine(lab);
    const from = someMinute(lab);
    lab.at(from, () => {
      lab.world.log(
        engine.log,
        ...words.map((line) => (line.startsWith(' ') ? line : `${engine.stamp()} ${line}`)),
      );
      lab.life.verdict = () => 'server exited during the run';
      lab.life.stopServer();
      if (lab.life.job !== null) lab.life.finish();
      lab.life.verdict = () => null;
    });
    lab.fault({
      cause: story,
      from,
      until: from + 20,
      right: ['log_error_pattern'],
      company: ['repeated_failure', 'agent_stall', 'local_server_unreachable'],
    });
  },
}));
