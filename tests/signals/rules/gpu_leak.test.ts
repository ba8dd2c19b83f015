import { gpuLeak } from '../../../src/signals/rules/gpu_leak.js';
import { type Step, testRule } from '../../support/rule-tester.js';

const FULL = { gpu_id: 0, vram_used_mb: 196_000, vram_total_mb: 196_592 };
const gpus = (...list: object[]) => ({ local_gpu: { gpus: list, tool: 'amd-smi' } });
const processes = (...cmds: string[]) => ({ local_processes: cmds.map((cmd, pid) => ({ pid, cmd })) });
const tick = (n: number) => ({ context: { shared_state: { tick: n } } });
const at = (n: number, snapshot: object, symptoms: Step['symptoms'] = []): Step => ({
  ...tick(n),
  snapshot,
  symptoms,
});
const L = ['gpu_memory_leaked'];
const ONCE = { consecutive_hits: 1 };
const device = (gpu_id: number, holders: unknown, used = 190_000, more: object = {}) => ({
  gpu_id,
  vram_used_mb: used,
  vram_total_mb: 196_592,
  holders,
  ...more,
});
const HOLDER = { pid: 7, vram_mb: 1000, cmd: 'x' };
const eight = (leaking: number, holders: unknown = []) =>
  gpus(...Array.from({ length: 8 }, (_, id) => device(id, id === leaking ? holders : [HOLDER])));

testRule(gpuLeak, {
  valid: [
    { why: 'one look proves nothing', snapshot: gpus(FULL) },
    {
      why: 'no GPU was read',
      state: ONCE,
      undecided: L,
      stateWith: { consecutive_hits: 1, unknown_streak: 1 },
    },
    {
      why: 'one of two GPUs is free',
      snapshot: gpus(FULL, { ...FULL, gpu_id: 1, vram_used_mb: 900 }),
      state: ONCE,
    },
    {
      why: 'a percentage just below the threshold',
      snapshot: gpus({ gpu_id: 0, util_mem_pct: 98.99 }),
      state: ONCE,
    },
    {
      why: 'more than the threshold is free and the share is below it',
      snapshot: gpus({ gpu_id: 0, vram_used_mb: 9499.99, vram_total_mb: 10_000 }),
      state: ONCE,
    },
    {
      why: 'a busy memory controller over empty memory is no leak (gpu_leak-4)',
      snapshot: gpus({ gpu_id: 0, util_mem_pct: 100, vram_used_mb: 283, vram_total_mb: 196_592 }),
      state: ONCE,
    },
    {
      why: 'the small carve-out of an APU is always almost used up (gpu_leak-4)',
      snapshot: gpus({ gpu_id: 0, vram_used_mb: 60, vram_total_mb: 512 }),
      state: ONCE,
    },
    {
      why: 'the percentage of nvidia-smi is activity (gpu_leak-4)',
      snapshot: { local_gpu: { gpus: [{ gpu_id: 0, util_mem_pct: 100 }], tool: 'nvidia-smi' } },
      state: ONCE,
    },
    {
      why: 'an unknown process list is no proof of absence (gpu_leak-1)',
      snapshot: { ...gpus(FULL), local_processes_known: false },
      state: ONCE,
      undecided: L,
      stateWith: ONCE,
    },
    ...[
      'raylet --x',
      'python -m vllm serve',
      'ray::ServingActor.run',
      'MAGPIE bench',
      'vllm::enginecore_dp0',
    ].map((cmd) => ({
      why: `an owner lives: ${cmd} (gpu_leak-2)`,
      snapshot: { ...gpus(FULL), ...processes(cmd) },
      state: ONCE,
    })),
    {
      why: 'a configured server pattern is an owner too (gpu_leak-2)',
      snapshot: { ...gpus(FULL), ...processes('/opt/tgi-server --port 1') },
      config: { server_process_patterns: ['tgi-server'] },
      state: ONCE,
    },
    {
      why: 'a GPU that cannot be read makes the whole unknown',
      snapshot: gpus(FULL, { gpu_id: 1, error: 'ERR!' }),
      state: ONCE,
      undecided: L,
    },
    {
      why: 'invisible GPUs and partitions without a metric are left out',
      snapshot: gpus({ ...FULL, visible: false }, { gpu_id: 1, vram_total_mb: 0 }),
      state: ONCE,
      undecided: L,
    },
    { why: 'each GPU has a holder (gpu_leak-3)', snapshot: eight(-1), state: { device_hits: { '3': 9 } } },
    {
      why: 'no holder seen is not no holder (gpu_leak-3)',
      snapshot: eight(3, null),
      state: { device_hits: { '3': 1 } },
      undecided: L,
      stateWith: { device_hits: { '3': 1 } },
    },
    {
      why: 'a little memory without holder is the driver (gpu_leak-3)',
      snapshot: gpus(device(0, [], 30_000)),
      state: { device_hits: { '0': 5 } },
    },
    {
      why: 'entries of odd shapes are skipped',
      snapshot: { local_gpu: { gpus: ['x', null, 7] } },
      undecided: L,
    },
  ],
  invalid: [
    {
      why: 'the second look at memory that nobody holds',
      snapshot: gpus({ gpu_id: 0, util_mem_pct: 99, vram_used_mb: 1390.06, vram_total_mb: 1400.04 }),
      state: ONCE,
      symptoms: [
        {
          name: 'gpu_memory_leaked',
          severity: 'high',
          subject: {},
          source: 'local',
          evidenceWith: {
            consecutive_hits: 2,
            util_mem_pct_threshold: 99,
            free_mb_threshold: 500,
            gpu_count: 1,
            per_gpu: [
              { gpu_id: 0, util_mem_pct: 99, vram_used_mb: 1390.1, vram_total_mb: 1400, free_mb: 10 },
            ],
            leaked_gpu_ids: ['0'],
            mode: 'host',
            owner_patterns_extra: ['ray::ServingActor'],
          },
          suggestionMentions: ['recover', 'final report'],
        },
      ],
    },
    {
      why: 'exactly the free limit is full',
      snapshot: gpus({ gpu_id: 0, vram_used_mb: 9500, vram_total_mb: 10_000 }),
      state: ONCE,
      symptoms: L,
    },
    {
      why: 'more used than there is means nothing is free',
      snapshot: gpus({ gpu_id: 0, vram_used_mb: 1100, vram_total_mb: 1000 }),
      state: ONCE,
      symptoms: [
        {
          name: 'gpu_memory_leaked',
          evidenceWith: { per_gpu: [{ gpu_id: 0, vram_used_mb: 1100, vram_total_mb: 1000, free_mb: 0 }] },
        },
      ],
    },
    {
      why: 'a percentage alone decides where it is occupancy',
      snapshot: gpus({ util_mem_pct: 99.456 }),
      state: ONCE,
      symptoms: [
        { name: 'gpu_memory_leaked', evidenceWith: { per_gpu: [{ gpu_id: null, util_mem_pct: 99.46 }] } },
      ],
    },
    {
      why: 'one leaked GPU of eight is found beside a living server (gpu_leak-3)',
      snapshot: { ...eight(3), ...processes('python -m sglang.launch_server') },
      state: { device_hits: { '3': 1 } },
      symptoms: [
        {
          name: 'gpu_memory_leaked',
          evidenceWith: { consecutive_hits: 2, gpu_count: 8, leaked_gpu_ids: ['3'], mode: 'device' },
          summaryMentions: ['1 of 8', '3'],
        },
      ],
    },
    {
      why: 'holders decide also where the process list is unknown (gpu_leak-3)',
      snapshot: { ...eight(3), local_processes_known: false },
      state: { device_hits: { '3': 1 } },
      symptoms: L,
    },
    {
      why: 'a limit of 1 fires at once',
      snapshot: gpus(FULL),
      config: { gpu_leak_min_consecutive_ticks: 1 },
      symptoms: L,
    },
  ],
  sequences: [
    {
      why: 'it fires on every evaluation from the second on',
      steps: [
        at(1, gpus(FULL)),
        at(2, gpus(FULL), L),
        at(3, gpus(FULL), L),
        at(4, { ...gpus(FULL), ...processes('raylet') }),
        at(5, gpus(FULL)),
      ],
    },
    {
      why: 'a repeated tick is not counted again (G-9)',
      steps: [
        at(5, gpus(FULL)),
        at(5, gpus(FULL)),
        at(6, gpus(FULL), L),
        at(6, gpus(FULL), L),
        at(0, gpus(FULL), L),
      ],
    },
    {
      why: 'a degraded tick holds the count, the fourth forgets it (gpu_leak-5)',
      steps: [
        at(1, gpus(FULL)),
        at(2, {}),
        at(3, {}),
        at(4, {}),
        at(5, gpus(FULL), L),
        at(6, {}),
        at(7, {}),
        at(8, {}),
        at(9, {}),
        at(10, gpus(FULL)),
      ],
    },
    {
      why: 'devices are counted apart (gpu_leak-3)',
      steps: [
        at(1, gpus(device(0, []), device(1, [HOLDER]))),
        at(2, gpus(device(0, [HOLDER]), device(1, []))),
        at(3, gpus(device(0, []), device(1, [])), [
          { name: 'gpu_memory_leaked', evidenceWith: { leaked_gpu_ids: ['1'] } },
        ]),
      ],
    },
    {
      why: 'a device that is unknown keeps its count while others are judged (gpu_leak-3)',
      steps: [
        at(1, gpus(device(0, []), device(1, [HOLDER]))),
        { ...at(2, gpus(device(0, null), device(1, [HOLDER]))), undecided: L },
        at(3, gpus(device(0, []), device(1, [HOLDER])), L),
      ],
    },
    {
      why: 'a corrupt slot means its defaults (G-3)',
      state: { consecutive_hits: '1', device_hits: ['x'], unknown_streak: -4, last_tick: null },
      steps: [at(1, gpus(FULL), L)],
    },
  ],
});
