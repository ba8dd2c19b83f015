import type { Json, JsonObject } from '../../../src/foreign/json.js';
import { gpuHealth } from '../../../src/signals/rules/gpu_health.js';
import type { Snapshot } from '../../../src/sources/snapshot.js';
import { type Step, testRule } from '../../support/rule-tester.js';

const ourServer = { pid: 10, is_server: true, cmd: 'python -m sglang.launch_server', session_owned: true };
const stranger = { pid: 99, vram_mb: 20_000, cmd: 'python train.py', session_owned: false };
const orphan = {
  pid: 55,
  vram_mb: 9000,
  cmd: 'VLLM::Worker_TP0',
  session_owned: false,
  owner_session: '/sessions/old',
  owner_session_alive: false,
};

function gpus(entries: readonly JsonObject[], rest: Partial<Snapshot> = {}): Pick<Step, 'snapshot'> {
  const list = entries.map((entry, index) => ({ gpu_id: index, visible: true, holders: [], ...entry }));
  return { snapshot: { local_gpu: { tool: 'amd-smi', gpus: list }, local_processes: [ourServer], ...rest } };
}

function held(...holders: readonly Json[]): Pick<Step, 'snapshot'> {
  return gpus([{ holders }]);
}

const contended = 'gpu_contended';

testRule(gpuHealth, {
  valid: [
    { why: 'no GPU was seen', snapshot: { local_gpu: {} } },
    {
      why: 'healthy and ours alone',
      ...held({ pid: 10, vram_mb: 180_000, session_owned: true }),
      undecided: [],
    },
    { why: 'a GPU that cannot be read is not lost', ...gpus([{ error: 'N/A', error_kind: 'unreadable' }]) },
    {
      why: 'an old line of the kernel log',
      ...gpus([{}], { local_kernel: { gpu_off_bus: [{ bus_id: '0000:c1:00.0', new: false }] } }),
    },
    {
      why: 'a recording of other sources proves nothing by what it leaves out',
      state: { roster: { tool: 'amd-smi', listed: { '0': 3, '1': 3 }, missing: { '1': 1 } } },
      ...gpus([{}]),
    },
    { why: 'the kernel log cannot be read', ...gpus([{}], { local_kernel: null }) },
    {
      why: 'the holders are unknown',
      ...gpus([{ holders: null }]),
      undecided: [contended, 'gpu_orphan_holder'],
    },
    { why: 'a stranger seen once', ...held(stranger), stateWith: { contended: { '0': 1 } } },
    { why: 'a session that lives', ...held({ ...orphan, owner_session_alive: true }) },
    { why: 'a session of unknown liveness', ...held({ ...orphan, owner_session_alive: null }) },
    { why: 'our own session', ...held({ ...orphan, owner_session: '/sessions/s1/' }) },
    { why: 'a process of ours that names another session', ...held({ ...orphan, session_owned: true }) },
    { why: 'an orphan with next to nothing', ...held({ ...orphan, vram_mb: 1023 }) },
    { why: 'a holder of no session', ...held({ ...orphan, owner_session: ' ' }) },
    { why: 'holders of odd shape', ...held(null, 'x', { pid: 'many' }) },
  ],
  invalid: [
    {
      why: 'what a dead session left is an orphan and no competitor, however long it is seen',
      state: { contended: { '0': 5 } },
      ...held(orphan),
      symptoms: ['gpu_orphan_holder'],
      stateWith: { contended: {} },
    },
    {
      why: 'the tool says that the GPU is lost',
      ...gpus([{}, { gpu_id: 3, error: 'GPU is lost', error_kind: 'lost', pci: '0000:C1:00.0' }], {
        local_kernel: { gpu_off_bus: [{ bus_id: '0000:c1:00.0', last_unix: 9990, new: true }] },
      }),
      symptoms: [
        {
          name: 'gpu_lost',
          severity: 'high',
          subject: { gpu_id: '3' },
          source: 'local',
          evidence: { gpu_id: 3, error_kind: 'lost', error: 'GPU is lost', tool: 'amd-smi' },
          summaryMentions: ['GPU 3', 'lost'],
          suggestionMentions: ['whole hive'],
        },
      ],
    },
    {
      why: 'a GPU that needs a reset, without a number',
      snapshot: { local_gpu: { gpus: [{}, { error_kind: 'reset_required' }] } },
      symptoms: [
        {
          name: 'gpu_lost',
          subject: { gpu_id: '1' },
          evidence: { gpu_id: null, error_kind: 'reset_required', error: null, tool: null },
        },
      ],
    },
    {
      why: 'a GPU that was always there has not been listed for three looks',
      state: { roster: { tool: 'amd-smi', listed: { '0': 3, '1': 3 }, missing: { '1': 2 } } },
      ...gpus([{}], { collectors: {} }),
      symptoms: [
        {
          name: 'gpu_lost',
          severity: 'high',
          subject: { gpu_id: '1' },
          evidenceWith: { gpu_id: '1', error_kind: 'missing', error: null, tool: 'amd-smi' },
        },
      ],
    },
    {
      why: 'only the kernel saw it fall off the bus',
      snapshot: { local_gpu: {}, local_kernel: { gpu_off_bus: [{ bus_id: '0000:c1:00.0', new: true }] } },
      symptoms: [
        {
          name: 'gpu_lost',
          subject: { gpu_id: '0000:c1:00.0' },
          evidenceWith: { gpu_id: '0000:c1:00.0', error_kind: 'off_bus' },
        },
      ],
    },
    {
      why: 'an orphan on two GPUs is one process',
      ...gpus([{ holders: [orphan] }, { holders: [{ ...orphan, vram_mb: 1024 }] }]),
      symptoms: [
        {
          name: 'gpu_orphan_holder',
          severity: 'medium',
          subject: { pid: '55' },
          evidence: {
            pid: 55,
            cmd: 'VLLM::Worker_TP0',
            gpu_ids: ['0', '1'],
            vram_mb: 10_024,
            owner_session: '/sessions/old',
          },
          suggestionMentions: ['process 55'],
        },
      ],
    },
  ],
  sequences: [
    {
      why: 'a stranger in two evaluations while our server runs',
      steps: [
        { ...held(stranger), symptoms: [] },
        {
          ...held(
            stranger,
            { ...stranger, pid: 100, vram_mb: 1024, cmd: 'x'.repeat(200) },
            { ...stranger, vram_mb: 5 },
          ),
          symptoms: [
            {
              name: contended,
              severity: 'medium',
              subject: { gpu_id: '0' },
              source: 'local',
              evidence: {
                gpu_id: '0',
                foreign_vram_mb: 21_024,
                holders: [
                  { pid: 99, vram_mb: 20_000, cmd: 'python train.py' },
                  { pid: 100, vram_mb: 1024, cmd: 'x'.repeat(120) },
                ],
              },
            },
          ],
        },
        { ...held(), symptoms: [], stateWith: { contended: {} } },
        { ...held(stranger), symptoms: [] },
      ],
    },
    {
      why: 'nothing of ours runs, so nothing of ours is disturbed',
      steps: [
        { ...gpus([{ holders: [stranger] }], { local_processes: [] }), symptoms: [], undecided: [] },
        {
          ...gpus([{ holders: [stranger] }], { local_processes: [{ ...ourServer, session_owned: null }] }),
          symptoms: [],
        },
        {
          ...gpus([{ holders: [stranger] }], { local_processes: [{ ...ourServer, is_server: false }] }),
          symptoms: [],
        },
      ],
    },
    {
      why: 'a benchmark client of ours is disturbed too',
      steps: Array.from({ length: 2 }, (_, index) => ({
        ...gpus([{ holders: [stranger] }], {
          local_processes: [{ pid: 11, cmd: 'python benchmark_serving.py', session_owned: true }],
        }),
        symptoms: index === 0 ? [] : [contended],
      })),
    },
    {
      why: 'an unknown look holds the count',
      steps: [
        { ...held(stranger), symptoms: [] },
        { ...gpus([{ holders: null }]), symptoms: [], stateWith: { contended: { '0': 1 } } },
        {
          ...gpus([{ holders: [stranger] }], { local_processes: [], local_processes_known: false }),
          symptoms: [],
          undecided: [contended],
        },
        { ...held(stranger), symptoms: [contended] },
      ],
    },
    {
      why: 'an unknown look after a report says nothing, and a probe without GPUs changes nothing',
      steps: [
        { ...held(stranger), symptoms: [] },
        { ...held(stranger), symptoms: [contended] },
        { ...gpus([{ holders: null }]), symptoms: [], undecided: [contended, 'gpu_orphan_holder'] },
        { snapshot: { local_gpu: {} }, symptoms: [], stateWith: { contended: { '0': 2 } } },
        { ...held(stranger), symptoms: [contended] },
      ],
    },
    {
      why: 'an empty pattern names no client',
      config: { benchmark_client_patterns: [''] },
      steps: Array.from({ length: 2 }, () => ({
        ...gpus([{ holders: [stranger] }], {
          local_processes: [{ pid: 11, cmd: 'tail -f log', session_owned: true }],
        }),
        symptoms: [],
      })),
    },
    {
      why: 'a repeated tick is not counted twice',
      steps: [
        { ...held(stranger), context: { shared_state: { tick: 4 } }, symptoms: [] },
        { ...held(stranger), context: { shared_state: { tick: 4 } }, symptoms: [] },
        { ...held(stranger), context: { shared_state: { tick: 5 } }, symptoms: [contended] },
      ],
    },
    {
      why: 'a GPU that this session cannot see does not matter, nor one of an older source',
      steps: Array.from({ length: 3 }, () => ({
        ...gpus([{ visible: false, holders: [stranger] }, { holders: undefined }]),
        symptoms: [],
        undecided: [],
      })),
    },
    {
      why: 'a damaged slot is empty',
      state: { contended: { '0': 'x', '1': -4 }, last_tick: 'y' },
      steps: [{ ...held(stranger), symptoms: [], stateWith: { contended: { '0': 1 } } }],
    },
  ],
});
