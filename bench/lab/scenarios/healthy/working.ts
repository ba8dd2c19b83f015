import type { Scenario } from '../../scenario.js';
import { nvidiaNode, patience, runningEngine, STEADY } from '../parts.js';

/** Machines that work hard, alone or beside others. */
export const workingScenarios: readonly Scenario[] = [
  {
    name: 'busy-engine-slow-health',
    kind: 'healthy',
    story: 'The engine is saturated; every other health request gets no answer in time, the tokens flow.',
    hours: 5,
    life: STEADY,
    isLive: true,
    plan: (lab) => {
      const engine = runningEngine(lab);
      lab.eachTick(() => {
        engine.load = {
          running: 256,
          waiting: lab.random.whole(80, 900),
          tokensPerS: lab.random.between(5200, 9100),
        };
        engine.answer(lab.random.chance(0.5) ? 'timeout' : 'ok');
        for (const ago of [50, 20]) lab.world.log(engine.log, engine.statistics(lab.world.now - ago, 1));
      });
    },
  },
  {
    name: 'one-missed-probe',
    kind: 'healthy',
    story: 'Now and then a single health request is lost.',
    hours: 6,
    life: STEADY,
    isLive: true,
    plan: (lab) => {
      const engine = runningEngine(lab);
      let missed = false;
      lab.eachTick(() => {
        missed = !missed && lab.random.chance(0.12);
        engine.answer(missed ? 'timeout' : 'ok');
      });
    },
  },
  {
    name: 'deep-queue',
    kind: 'healthy',
    story: 'A concurrency sweep keeps hundreds of requests waiting for hours while all slots generate.',
    hours: 4,
    life: { ...STEADY, engine: 'vllm' },
    isLive: true,
    plan: (lab) => {
      const engine = runningEngine(lab, 'vllm');
      lab.eachMinute(() => {
        engine.load = {
          running: 128,
          waiting: lab.random.whole(200, 1800),
          tokensPerS: lab.random.between(3000, 6000),
        };
      });
    },
  },
  {
    name: 'long-prompts-only',
    kind: 'healthy',
    story:
      'A prefill benchmark: prompts of a hundred thousand tokens, hardly a generated one, requests wait.',
    hours: 3,
    life: STEADY,
    isLive: true,
    plan: (lab) => {
      const engine = runningEngine(lab);
      lab.eachMinute(() => {
        engine.load = null;
        const line = `Prefill batch. #new-seq: 1, #new-token: ${lab.random.whole(8000, 16384)}, #cached-token: 0, token usage: 0.71, #running-req: 2, #queue-req: ${lab.random.whole(3, 22)},`;
        lab.world.log(engine.log, `${engine.stamp()} ${line}`);
      });
    },
  },
  {
    name: 'memory-to-the-brim',
    kind: 'healthy',
    story: 'The server takes all but a few hundred megabytes of every GPU, as it was told to.',
    hours: 5,
    life: STEADY,
    isLive: true,
    plan: (lab) => {
      runningEngine(lab).share = 0.9981;
    },
  },
  {
    name: 'memory-to-the-brim-holders-unknown',
    kind: 'healthy',
    story: 'The same in a container that cannot see who holds the memory.',
    hours: 5,
    life: STEADY,
    plan: (lab) => {
      const engine = runningEngine(lab);
      engine.share = 0.9968;
      lab.eachTick(() => {
        for (const gpu of lab.world.gpus) gpu.holders = null;
      });
    },
  },
  {
    name: 'brimful-and-no-process-list',
    kind: 'healthy',
    story: 'Full GPUs, holders unknown, and a node on which processes cannot be listed.',
    hours: 5,
    life: STEADY,
    plan: (lab) => {
      runningEngine(lab).share = 0.9975;
      lab.world.blind.set('processes', 'unknown');
      lab.eachTick(() => {
        for (const gpu of lab.world.gpus) gpu.holders = null;
      });
    },
  },
  {
    name: 'co-tenant-on-other-gpus',
    kind: 'healthy',
    story: 'A neighbour serves on four GPUs that this session does not see; its server comes and goes.',
    hours: 6,
    life: STEADY,
    plan: (lab) => {
      patience(lab);
      const { world } = lab;
      lab.eachTick(() => {
        for (const gpu of world.gpus.slice(4)) {
          gpu.visible = false;
          gpu.usedMb = 181_000;
          gpu.holders = [
            {
              pid: 881,
              vram_mb: 181_000,
              cmd: 'python',
              session_owned: false,
              owner_session: null,
              owner_session_alive: null,
            },
          ];
        }
      });
      lab.every(75, 10, 360, () => {
        world.processes.push({
          pid: 881,
          cmd: 'python3 -m vllm.entrypoints.openai.api_server --port 8000',
          cwd: '/home/other',
          isServer: true,
          owned: false,
          startedAt: world.now,
        });
      });
      lab.every(75, 60, 360, () => {
        world.processes = world.processes.filter(({ pid }) => pid !== 881);
      });
    },
  },
  {
    name: 'co-tenant-server-down',
    kind: 'healthy',
    story: 'A neighbour left a server on the default port that answers nobody; it is none of ours.',
    hours: 6,
    life: { ...STEADY, phase: 'KERNEL_AGENT' },
    plan: (lab) => {
      patience(lab);
      const { world } = lab;
      world.processes.push({
        pid: 1204,
        cmd: 'python -m sglang.launch_server --port 8888',
        cwd: '/home/other',
        isServer: true,
        owned: false,
        startedAt: world.now - 9000,
      });
      world.servers.push({
        url: 'http://127.0.0.1:8888/health',
        pid: 1204,
        isConfigured: true,
        answer: 'refused',
      });
    },
  },
  {
    name: 'hot-but-within-limits',
    kind: 'healthy',
    story: 'A warm hall: junctions at 97, memory at 94 degrees, for hours.',
    hours: 5,
    life: STEADY,
    isLive: true,
    plan: (lab) => {
      runningEngine(lab);
      lab.eachTick(() => {
        for (const gpu of lab.world.gpus) {
          gpu.junctionC = lab.random.whole(90, 97);
          gpu.memoryC = lab.random.whole(87, 94);
        }
      });
    },
  },
  {
    name: 'partitioned-gpus',
    kind: 'healthy',
    story: 'Every board shows up as eight partitions, of which only the first tells its memory.',
    hours: 4,
    life: STEADY,
    plan: (lab) => {
      patience(lab);
      lab.world.gpus = lab.world.gpus.flatMap((gpu) =>
        Array.from({ length: 8 }, (_, part) => ({
          ...gpu,
          id: gpu.id * 8 + part,
          extra:
            part === 0 ? {} : { vram_used_mb: undefined, vram_total_mb: undefined, util_mem_pct: undefined },
        })),
      );
    },
  },
  {
    name: 'apu-shared-memory',
    kind: 'healthy',
    story: 'An APU, whose graphics memory is the memory of the host and always nearly full.',
    hours: 4,
    life: STEADY,
    plan: (lab) => {
      patience(lab);
      lab.eachTick(() => {
        lab.world.gpus = lab.world.gpus.slice(0, 4);
        for (const gpu of lab.world.gpus) {
          gpu.totalMb = 131_072;
          gpu.usedMb = 117_400;
          gpu.holders = null;
          gpu.edgeC = 61;
        }
      });
    },
  },
  {
    name: 'nvidia-node-with-mig',
    kind: 'healthy',
    story: 'An NVIDIA node, two boards cut into slices; the parents tell no memory.',
    hours: 4,
    life: { ...STEADY, engine: 'vllm' },
    plan: (lab) => {
      patience(lab);
      nvidiaNode(lab);
      for (const gpu of lab.world.gpus) {
        gpu.extra =
          gpu.id < 2
            ? { mig: true, vendor: 'nvidia', util_mem_pct: 97 }
            : { vendor: 'nvidia', util_mem_pct: 99 };
      }
    },
  },
];
