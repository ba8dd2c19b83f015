import type { JsonObject } from '../../../../src/foreign/json.js';
import type { Scenario } from '../../scenario.js';
import { nvidiaNode, patience, runningEngine, STEADY, someMinute } from '../parts.js';

const LOGS = 'log_error_pattern';
const WAKE = [
  'agent_stall',
  'engine_hang',
  'local_server_unreachable',
  LOGS,
  'repeated_failure',
  'gpu_memory_leaked',
];

function holder(keys: JsonObject): JsonObject {
  return {
    pid: 0,
    vram_mb: 0,
    cmd: 'python',
    session_owned: false,
    owner_session: null,
    owner_session_alive: null,
    ...keys,
  };
}

/** GPUs that fail, leak, overheat or belong to somebody else as well. */
export const gpuFaults: readonly Scenario[] = [
  {
    name: 'gpu-lost',
    kind: 'faulty',
    story: 'A GPU no longer answers its driver; the tool lists it with an error.',
    hours: 3,
    life: STEADY,
    isLive: true,
    plan: (lab) => {
      runningEngine(lab);
      nvidiaNode(lab);
      const from = someMinute(lab);
      const id = lab.random.whole(0, 7);
      lab.at(from, () => {
        for (const gpu of lab.world.gpus)
          if (gpu.id === id)
            gpu.extra = { vendor: 'nvidia', error: '[GPU is lost], [GPU is lost]', error_kind: 'lost' };
      });
      lab.fault({
        cause: `GPU ${id} fell off its link`,
        from,
        right: ['gpu_lost'],
        company: WAKE,
        severity: 'high',
      });
    },
  },
  {
    name: 'gpu-wants-a-reset',
    kind: 'faulty',
    story: 'After an uncorrectable error one GPU refuses everything until it is reset.',
    hours: 3,
    life: STEADY,
    isLive: true,
    plan: (lab) => {
      runningEngine(lab);
      nvidiaNode(lab);
      const from = someMinute(lab);
      lab.at(from, () => {
        const gpu = lab.world.gpus[5];
        if (gpu !== undefined)
          gpu.extra = {
            vendor: 'nvidia',
            error: '[GPU requires reset], [GPU requires reset]',
            error_kind: 'reset_required',
          };
      });
      lab.fault({
        cause: 'GPU 5 has an uncorrectable memory error',
        from,
        right: ['gpu_lost'],
        company: WAKE,
        severity: 'high',
      });
    },
  },
  {
    name: 'off-the-bus',
    kind: 'faulty',
    story: 'Only the kernel says it: a device has left the bus.',
    hours: 3,
    life: STEADY,
    unseen: { gpu_lost: '0000:9f:00.0' },
    plan: (lab) => {
      runningEngine(lab);
      const from = someMinute(lab);
      lab.at(from, () =>
        lab.world.kernelSays(
          'amdgpu 0000:9f:00.0: amdgpu: SMU: response:0xFFFFFFFF for index:18 param:0x00000005 message:GetMetricsTable?',
          'amdgpu 0000:9f:00.0: amdgpu: device lost from bus!',
        ),
      );
      lab.fault({
        cause: 'the GPU at 9f:00 left the bus',
        from,
        right: ['gpu_lost'],
        company: WAKE,
        severity: 'high',
      });
    },
  },
  {
    name: 'page-fault-on-the-gpu',
    kind: 'faulty',
    story: 'A kernel touches memory that is not its own; the runtime aborts the server.',
    hours: 3,
    life: STEADY,
    isLive: true,
    unseen: { log_error_pattern: 'GPU node-11 (Agent handle: 0x55d0c8a1f2b0)' },
    plan: (lab) => {
      const engine = runningEngine(lab);
      const from = someMinute(lab);
      lab.at(from, () => {
        lab.world.log(
          engine.log,
          'Memory access fault by GPU node-11 (Agent handle: 0x55d0c8a1f2b0) on address 0x7e93a2c00000. Reason: Page not present or supervisor privilege.',
          'GPU core dump failed',
          'Fatal Python error: Aborted',
        );
        lab.life.stopServer();
        lab.life.finish();
      });
      lab.fault({
        cause: 'a page fault in a GPU kernel',
        from,
        until: from + 20,
        right: [LOGS],
        company: WAKE,
        severity: 'high',
      });
    },
  },
  {
    name: 'queue-aborted',
    kind: 'faulty',
    story: 'The runtime aborts a hardware queue with an exception.',
    hours: 3,
    life: STEADY,
    unseen: { log_error_pattern: 'Callback: Queue 0x7ee1f0c00000 aborting' },
    isLive: true,
    plan: (lab) => {
      const engine = runningEngine(lab);
      const from = someMinute(lab);
      lab.at(from, () => {
        lab.world.log(
          engine.log,
          ':0:rocdevice.cpp :3006: 81220517318d us: Callback: Queue 0x7ee1f0c00000 aborting with error : HSA_STATUS_ERROR_EXCEPTION: An HSAIL operation resulted in a hardware exception. code: 0x1016',
        );
        lab.life.stopServer();
        lab.life.finish();
      });
      lab.fault({
        cause: 'a hardware exception in a queue',
        from,
        until: from + 20,
        right: [LOGS],
        company: WAKE,
        severity: 'high',
      });
    },
  },
  {
    name: 'memory-that-is-not-there',
    kind: 'faulty',
    story:
      'A larger batch does not fit: the allocator gives up with nearly nothing free, and the engine with it.',
    hours: 3,
    life: STEADY,
    unseen: { log_error_pattern: 'Tried to allocate 3.62 GiB. GPU 6 has' },
    isLive: true,
    plan: (lab) => {
      const engine = runningEngine(lab);
      const from = someMinute(lab);
      lab.at(from, () => {
        lab.world.log(
          engine.log,
          'torch.OutOfMemoryError: HIP out of memory. Tried to allocate 3.62 GiB. GPU 6 has a total capacity of 191.98 GiB of which 1.07 GiB is free. Of the allocated memory 184.31 GiB is allocated by PyTorch.',
        );
        lab.life.stopServer();
      });
      lab.fault({
        cause: 'the batch is too large for the memory left',
        from,
        until: from + 20,
        right: [LOGS],
        company: WAKE,
        severity: 'high',
      });
    },
  },
  {
    name: 'collective-that-never-ends',
    kind: 'faulty',
    story: 'A collective runs into its limit on two ranks, and the watchdog ends them.',
    hours: 3,
    life: STEADY,
    unseen: { log_error_pattern: 'OpType=_ALLGATHER_BASE, NumelIn=1179648' },
    isLive: true,
    plan: (lab) => {
      const engine = runningEngine(lab);
      const from = someMinute(lab);
      lab.at(from, () => {
        for (const rank of [2, 6]) {
          lab.world.log(
            engine.log,
            `[rank${rank}]:[E405 13:20:11.481023951 ProcessGroupNCCL.cpp:629] [Rank ${rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=50331, OpType=_ALLGATHER_BASE, NumelIn=1179648) ran for 600017 milliseconds before timing out.`,
          );
        }
        lab.life.stopServer();
      });
      lab.fault({
        cause: 'two ranks disagree about the next collective',
        from,
        until: from + 20,
        right: [LOGS],
        company: WAKE,
        severity: 'high',
      });
    },
  },
  {
    name: 'leak-on-every-gpu',
    kind: 'faulty',
    story: 'The server is gone, its memory is not: nobody holds it, all devices are full.',
    hours: 3.5,
    life: STEADY,
    plan: (lab) => {
      const engine = runningEngine(lab);
      engine.share = 0.995;
      const from = someMinute(lab);
      lab.at(from, () => {
        lab.life.proposes = false;
        lab.life.job = null;
        lab.life.stopServer({ leaks: true });
      });
      lab.fault({
        cause: 'memory of a crashed server was not given back',
        from,
        right: ['gpu_memory_leaked'],
        company: WAKE,
        severity: 'high',
        destructive: ['recover'],
      });
    },
  },
  {
    name: 'leak-holders-unknown',
    kind: 'faulty',
    story: 'The same where nobody can say who holds what, but no process of any server lives.',
    hours: 3.5,
    life: STEADY,
    plan: (lab) => {
      const engine = runningEngine(lab);
      engine.share = 0.9965;
      const from = someMinute(lab);
      lab.at(from, () => {
        lab.life.proposes = false;
        lab.life.job = null;
        lab.life.stopServer({ leaks: true });
      });
      lab.eachTick(() => {
        for (const gpu of lab.world.gpus) gpu.holders = null;
      });
      lab.fault({
        cause: 'memory of a crashed server was not given back',
        from,
        right: ['gpu_memory_leaked'],
        company: WAKE,
        severity: 'high',
        destructive: ['recover'],
      });
    },
  },
  {
    name: 'leak-on-one-of-eight',
    kind: 'faulty',
    story: 'One rank died and left 140 GB behind on its GPU; the others serve something else.',
    hours: 3.5,
    life: STEADY,
    unseen: { gpu_memory_leaked: '140233' },
    plan: (lab) => {
      runningEngine(lab);
      const from = someMinute(lab);
      lab.eachTick(() => {
        const gpu = lab.world.gpus[3];
        if (gpu === undefined || lab.minute < from) return;
        gpu.usedMb = 140_233;
        gpu.holders = [];
      });
      lab.fault({
        cause: 'one GPU keeps the memory of a dead rank',
        from,
        right: ['gpu_memory_leaked'],
        company: WAKE,
        severity: 'high',
        destructive: ['recover'],
      });
    },
  },
  {
    name: 'neighbour-on-our-gpus',
    kind: 'faulty',
    story: 'A training job of somebody else moves onto two of the GPUs that are being measured.',
    hours: 3,
    life: STEADY,
    unseen: { gpu_contended: '23877' },
    plan: (lab) => {
      runningEngine(lab).share = 0.62;
      const from = someMinute(lab);
      lab.eachTick(() => {
        if (lab.minute < from) return;
        for (const gpu of lab.world.gpus.slice(0, 2)) {
          gpu.holders = [
            ...(gpu.holders ?? []),
            holder({ pid: 52_118, vram_mb: 23_877, cmd: 'python train.py --accelerator' }),
          ];
          gpu.usedMb += 23_877;
        }
      });
      lab.fault({ cause: 'a co-tenant computes on the same GPUs', from, right: ['gpu_contended'] });
    },
  },
  {
    name: 'left-over-of-another-session',
    kind: 'faulty',
    story: 'A worker of a session that ended yesterday still holds eleven gigabytes.',
    hours: 3,
    life: STEADY,
    unseen: { gpu_orphan_holder: '11290' },
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab, 20, 60);
      lab.eachTick(() => {
        const gpu = lab.world.gpus[7];
        if (gpu === undefined || lab.minute < from) return;
        gpu.holders = [
          ...(gpu.holders ?? []).filter(({ pid }) => pid !== 40_404),
          holder({
            pid: 40_404,
            vram_mb: 11_290,
            cmd: 'ray::Worker',
            owner_session: '/srv/opt/ws/Old/20310404T000000Z-00000000',
            owner_session_alive: false,
          }),
        ];
      });
      lab.fault({
        cause: 'an orphan of an ended session holds memory',
        from,
        right: ['gpu_orphan_holder'],
        company: ['gpu_contended'],
      });
    },
  },
  {
    name: 'junction-too-hot',
    kind: 'faulty',
    story: 'The cooling of one board degrades: within half an hour its junction goes from 92 to 109 degrees.',
    hours: 3,
    life: STEADY,
    isLive: true,
    plan: (lab) => {
      runningEngine(lab);
      const from = someMinute(lab);
      lab.eachTick(() => {
        const gpu = lab.world.gpus[1];
        if (gpu === undefined || lab.minute < from) return;
        gpu.junctionC = Math.min(109, 92 + Math.round((lab.minute - from) / 2));
      });
      lab.fault({ cause: 'a fan has failed', from, visibleAfter: 17, right: ['gpu_thermal_high'] });
    },
  },
  {
    name: 'memory-too-hot',
    kind: 'faulty',
    story: 'Only the stacked memory overheats, the junction stays cool.',
    hours: 3,
    life: STEADY,
    isLive: true,
    unseen: { gpu_thermal_high: '107.4' },
    plan: (lab) => {
      runningEngine(lab);
      const from = someMinute(lab);
      lab.eachTick(() => {
        const gpu = lab.world.gpus[6];
        if (gpu !== undefined && lab.minute >= from) gpu.memoryC = 107.4;
      });
      lab.fault({ cause: 'bad contact of a heat spreader', from, right: ['gpu_thermal_high'] });
    },
  },
];
