import { healthyReading, stamp, type TaskRow } from '../../session/build-session.js';
import { ask, claim, NOW, type Scene } from './scene.js';

const LOG = 'runs/explore/t-12/server.log';
const text = (...lines: [number, string][]): string =>
  lines.map(([at, line]) => `${stamp(NOW + at)} ${line}\n`).join('');
const failed = (id: string, at = 4): TaskRow[] => [{ id, state: 'failed', at: NOW + at }];
const gpu = (used: number) => ({
  gpus: [{ gpu_id: 3, vram_used_mb: used, vram_total_mb: 64_000, holders: [] }],
});

const OUT_OF_MEMORY: Scene = {
  name: 'out of memory: log, task and GPU',
  trap: null,
  honest: 'high',
  isInWorld: true,
  needsSandbox: false,
  issue: 'the server is gone',
  service: null,
  truth: { types: ['oom'], subject: 'task:t-12', file: null, line: null },
  session: {
    symptom: 'local_server_unreachable',
    files: { [LOG]: text([0, 'INFO ready'], [1, 'ERROR HIP out of memory. Tried to allocate 2.00 GiB']) },
    tasks: failed('t-12'),
    snapshot: healthyReading({ taken_unix: NOW + 10, gpu: gpu(63_900) }),
  },
  script: [
    ask('search_session_logs', { pattern: 'out of memory' }),
    claim({ type: 'oom', text: 'the GPU has no memory left', quote: 'HIP out of memory' }),
  ],
};

const FULL_DISK: Scene = {
  ...OUT_OF_MEMORY,
  name: 'a full disk: log, task and reading',
  truth: { types: ['infra'], subject: 'task:t-12', file: null, line: null },
  session: {
    symptom: 'disk_pressure',
    files: { [LOG]: text([0, 'OSError: [Errno 28] No space left on device: /data/x']) },
    tasks: failed('t-12'),
    snapshot: healthyReading({ taken_unix: NOW + 10, disk: { '/data': { used_pct: 100 } } }),
  },
  script: [
    ask('search_session_logs', { pattern: 'No space left' }),
    claim({ type: 'infra', text: 'the disk is full', quote: 'No space left on device' }),
  ],
};

const KERNEL = 'kernels/fused_moe.py';
const KERNEL_LOG = 'runs/kernel/t-7/build.log';
const KERNEL_SOURCE = `${Array.from({ length: 40 }, (_, index) => `BLOCK_${index + 1} = ${index + 1}`).join('\n')}\n`;
const KERNEL_ERROR = 'IndexError: list index out of range';
const PATCHED: Scene = {
  ...OUT_OF_MEMORY,
  name: 'a patched kernel: log, result and source line',
  issue: 'the kernel run failed',
  truth: {
    types: ['index_out_of_bounds', 'code_logic', 'runtime_error'],
    subject: 'task:t-7',
    file: KERNEL,
    line: 22,
  },
  session: {
    symptom: 'kernel_regression',
    files: {
      [KERNEL_LOG]: text(
        [0, 'INFO tuning'],
        [1, 'Traceback (most recent call last):'],
        [1, `  File "/opt/build/${KERNEL}", line 22, in tile`],
        [1, KERNEL_ERROR],
      ),
    },
    events: [{ taskId: 't-7', at: NOW + 3, state: 'failed', error: KERNEL_ERROR }],
    snapshot: healthyReading({ taken_unix: NOW + 10 }),
  },
  source: { [KERNEL]: KERNEL_SOURCE },
  script: [
    ask('get_session_log_window', { path: KERNEL_LOG, line: 4 }),
    ask('read_source_slice', { path: KERNEL, line: 22 }),
    claim({
      type: 'index_out_of_bounds',
      text: 'a block is read that is not there',
      quote: 'list index out of range',
      file: KERNEL,
      line: 22,
    }),
  ],
};

function twin(of: Scene, name: string, trap: string, parts: Partial<NonNullable<Scene['session']>>): Scene {
  const { session } = of;
  if (session === undefined) throw new Error(`${of.name} has no session`);
  return { ...of, name, trap, honest: 'medium', session: { ...session, ...parts } };
}

/** Faults of sessions, seen in the bus, the tasks, the logs and the reading of the tick. */
export const SESSION_SCENES: readonly Scene[] = [
  OUT_OF_MEMORY,
  FULL_DISK,
  PATCHED,
  twin(OUT_OF_MEMORY, 'out of memory, the reading ten minutes late', 'stale evidence', {
    snapshot: healthyReading({ taken_unix: NOW + 620, gpu: gpu(63_900) }),
  }),
  twin(OUT_OF_MEMORY, 'out of memory, but the GPU is empty', 'the reading does not agree', {
    snapshot: healthyReading({ taken_unix: NOW + 10, gpu: gpu(900) }),
  }),
  twin(OUT_OF_MEMORY, 'out of memory, but another task failed', 'two tasks, two failures', {
    tasks: failed('t-99'),
  }),
  twin(OUT_OF_MEMORY, 'out of memory, but the task did not fail', 'nothing says that it mattered', {
    tasks: [{ id: 't-12', state: 'succeeded', at: NOW + 4 }],
  }),
  twin(OUT_OF_MEMORY, 'out of memory, the task failing 16 minutes later', 'stale evidence', {
    tasks: failed('t-12', 965),
  }),
  {
    ...twin(
      OUT_OF_MEMORY,
      'a report that quotes the log, in place of a task',
      'our own words are no evidence',
      {
        tasks: [],
        files: {
          ...OUT_OF_MEMORY.session?.files,
          'reports/rca.json': JSON.stringify({
            task_id: 't-12',
            error: 'HIP out of memory',
            state: 'failed',
          }),
        },
      },
    ),
    script: [ask('read_session_json', { path: 'reports/rca.json' }), ...OUT_OF_MEMORY.script],
  },
  {
    ...twin(OUT_OF_MEMORY, 'out of memory claimed of a crash', 'no line tells of memory', {
      files: { [LOG]: text([1, 'ERROR Segmentation fault (core dumped)']) },
    }),
    honest: 'low',
    isInWorld: false,
    truth: { types: ['runtime_error'], subject: 'task:t-12', file: null, line: null },
    script: [
      ask('search_session_logs', { pattern: 'Segmentation' }),
      claim({ type: 'oom', text: 'the GPU has no memory left', quote: 'Segmentation fault' }),
    ],
  },
  {
    ...FULL_DISK,
    name: 'memory claimed of a full disk',
    trap: 'the reading is of another resource',
    honest: 'low',
    isInWorld: false,
    script: [
      ask('search_session_logs', { pattern: 'No space left' }),
      claim({ type: 'oom', text: 'no memory is left', quote: 'No space left on device' }),
    ],
  },
  twin(PATCHED, 'a patched kernel, the result of another task', 'two tasks, two failures', {
    events: [{ taskId: 't-9', at: NOW + 3, state: 'failed', error: KERNEL_ERROR }],
  }),
  {
    ...PATCHED,
    name: 'a patched kernel, its source changed since',
    trap: 'the line is blank now',
    honest: 'medium',
    source: { [KERNEL]: KERNEL_SOURCE.replace('BLOCK_22 = 22', '') },
  },
];
