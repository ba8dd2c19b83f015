import { lazy } from '../../foreign/lazy.js';
import type { Severity, Symptom } from '../symptom.js';

/** What a log line can say about a failure: root starts one, confirmation reports one, cascade follows one, own is apart. */
export type LogRole = 'root' | 'confirmation' | 'cascade' | 'own';

/** How lines of one detector are judged; matching them is the log collector's part (spec 03 §8.2). */
export interface LogPattern {
  readonly number: number;
  /** Wire identifier: subject and cooldown key, byte for byte. */
  readonly id: string;
  readonly severity: Exclude<Severity, 'low'>;
  readonly role: LogRole;
  /** An engine that goes on working cannot have written it of itself. */
  readonly ends?: true;
  /** Of the machine: it stays so though the engine goes on working. */
  readonly stays?: true;
}

/** Any exception that ends a trace: engines survive many, so it counts only beside a task that fails. */
export const UNHANDLED_EXCEPTION = 'unhandled exception';

const high = 'high';
const medium = 'medium';

/** All detectors by number: 1 to 42 are those of spec 03 §8.2, the others our own. */
export const LOG_PATTERNS = [
  { number: 1, id: 'runtime\\.cli .* timed out after \\d+s', severity: high, role: 'own' },
  {
    number: 2,
    id: 'RuntimeError: Engine core initialization failed',
    severity: high,
    role: 'confirmation',
    ends: true,
  },
  { number: 3, id: 'Engine core .* died', severity: high, role: 'confirmation', ends: true },
  { number: 4, id: 'tokenizer worker .* died', severity: medium, role: 'cascade' },
  { number: 5, id: 'aiter .* compilation failed', severity: high, role: 'root' },
  { number: 6, id: 'hipcc .* signal', severity: high, role: 'root' },
  { number: 7, id: 'MLA.*not supported', severity: high, role: 'root' },
  { number: 8, id: 'MTP draft .* unavailable', severity: high, role: 'root' },
  { number: 9, id: 'accuracy .* gate failed', severity: high, role: 'own' },
  { number: 10, id: 'MMLU .* below threshold', severity: high, role: 'own' },
  { number: 11, id: 'cudaErrorOutOfDevice', severity: high, role: 'root' },
  { number: 12, id: 'HSA_STATUS_ERROR_OUT_OF_RESOURCES', severity: high, role: 'root' },
  { number: 13, id: 'ROCblas.*Status\\s*\\d+', severity: high, role: 'root' },
  { number: 14, id: 'hipBLAS.*Error', severity: high, role: 'root' },
  { number: 15, id: 'NCCL WARN .* timeout', severity: medium, role: 'cascade' },
  { number: 16, id: 'Address already in use', severity: medium, role: 'own' },
  { number: 17, id: 'Failed to load checkpoint', severity: high, role: 'root' },
  { number: 18, id: 'CUDA out of memory', severity: high, role: 'root' },
  { number: 19, id: 'hipErrorOutOfMemory', severity: high, role: 'root' },
  { number: 20, id: 'HIP out of memory', severity: high, role: 'root' },
  { number: 21, id: 'Segmentation fault', severity: high, role: 'root', ends: true },
  { number: 22, id: 'core dumped', severity: high, role: 'confirmation', ends: true },
  { number: 23, id: 'NCCL error', severity: high, role: 'root' },
  { number: 24, id: 'OOMKilled', severity: high, role: 'root', ends: true },
  { number: 25, id: 'failed to allocate', severity: medium, role: 'cascade' },
  { number: 26, id: 'RuntimeError', severity: medium, role: 'cascade' },
  { number: 27, id: 'Killed', severity: medium, role: 'cascade' },
  { number: 28, id: 'Memory access fault by GPU', severity: high, role: 'root', ends: true },
  { number: 29, id: 'Memory Fault Error', severity: high, role: 'root', ends: true },
  { number: 30, id: 'HSA_STATUS_ERROR', severity: high, role: 'root', ends: true },
  { number: 31, id: 'amdgpu ring timeout', severity: high, role: 'root', stays: true },
  { number: 32, id: 'GPU has fallen off the bus', severity: high, role: 'root', stays: true },
  { number: 33, id: 'collective operation timeout', severity: high, role: 'root' },
  { number: 34, id: 'ncclSystemError', severity: high, role: 'root' },
  { number: 35, id: 'shared memory segment', severity: high, role: 'root', stays: true },
  { number: 36, id: 'Out of memory: Killed process', severity: high, role: 'root', stays: true },
  { number: 37, id: 'Ray memory monitor', severity: high, role: 'root', stays: true },
  { number: 38, id: 'EngineCore died', severity: high, role: 'confirmation', ends: true },
  { number: 39, id: 'EngineDeadError', severity: high, role: 'confirmation', ends: true },
  { number: 40, id: 'No space left on device', severity: medium, role: 'root', stays: true },
  { number: 41, id: 'Too many open files', severity: medium, role: 'root', stays: true },
  { number: 42, id: 'waiting for baton release', severity: medium, role: 'own', stays: true },
  { number: 43, id: 'sigquit from a child process', severity: high, role: 'confirmation', ends: true },
  { number: 44, id: 'engine watchdog timeout', severity: high, role: 'confirmation', ends: true },
  { number: 45, id: 'Segfault encountered', severity: high, role: 'root', ends: true },
  { number: 46, id: 'Scheduler hit an exception', severity: high, role: 'confirmation', ends: true },
  { number: 47, id: 'worker died unexpectedly', severity: high, role: 'confirmation', ends: true },
  { number: 48, id: 'No available memory for the cache blocks', severity: medium, role: 'root' },
  { number: 49, id: 'Not enough memory for the engine', severity: medium, role: 'root' },
  { number: 50, id: 'NCCL completion with error', severity: high, role: 'root', stays: true },
  { number: 51, id: 'GPU reset begin', severity: high, role: 'root', stays: true },
  { number: 52, id: 'HW Exception by GPU', severity: high, role: 'root', ends: true },
  { number: 53, id: 'GPU runtime error', severity: high, role: 'root', ends: true },
  { number: 54, id: 'GPU library error', severity: high, role: 'root' },
  { number: 55, id: 'heap corruption', severity: high, role: 'root', ends: true },
  { number: 56, id: 'Fatal Python error', severity: high, role: 'confirmation', ends: true },
  { number: 57, id: 'component hit an exception', severity: high, role: 'confirmation', ends: true },
  { number: 58, id: 'Ray worker died', severity: high, role: 'confirmation' },
  { number: 59, id: 'KV cache too small', severity: medium, role: 'root' },
  { number: 60, id: 'broken checkpoint', severity: high, role: 'root' },
  { number: 61, id: 'network port error', severity: high, role: 'root', stays: true },
  { number: 62, id: 'rendezvous failed', severity: high, role: 'root' },
  { number: 63, id: 'C++ terminate', severity: high, role: 'confirmation', ends: true },
  { number: 64, id: 'NCCL call failed', severity: medium, role: 'root' },
  { number: 65, id: 'amdgpu firmware does not respond', severity: high, role: 'root', stays: true },
  { number: 66, id: UNHANDLED_EXCEPTION, severity: medium, role: 'cascade' },
  { number: 67, id: 'native crash handler', severity: high, role: 'confirmation', ends: true },
  { number: 68, id: 'shell reports a crash', severity: high, role: 'confirmation' },
  { number: 69, id: 'subprocess ended with an error', severity: medium, role: 'cascade' },
  { number: 70, id: 'Rust panic', severity: medium, role: 'cascade' },
  { number: 71, id: 'shared library missing', severity: medium, role: 'cascade' },
  { number: 72, id: 'GPU queue not created', severity: medium, role: 'root' },
  { number: 73, id: 'memory not registered for the network', severity: medium, role: 'cascade' },
  { number: 74, id: 'no kernel for the shape', severity: medium, role: 'root' },
  { number: 75, id: 'killed by the OOM killer', severity: high, role: 'root' },
  { number: 76, id: 'batch system ended the job', severity: high, role: 'root' },
  { number: 77, id: 'GPU memory poisoned', severity: high, role: 'root', stays: true },
  { number: 78, id: 'container not started', severity: medium, role: 'root' },
  { number: 79, id: 'Go panic', severity: medium, role: 'cascade' },
] as const satisfies readonly LogPattern[];

const byId = lazy(
  (): ReadonlyMap<string, LogPattern> => new Map(LOG_PATTERNS.map((pattern) => [pattern.id, pattern])),
);

/** The detector of a wire identifier; a configured pattern, and anything else, has none. */
export function logPattern(id: string): LogPattern | undefined {
  return byId().get(id);
}

/** Role of a `log_error_pattern` symptom; a configured pattern is `own`, other symptoms have none. */
export function logRole(symptom: Symptom): LogRole | undefined {
  if (symptom.name !== 'log_error_pattern') return undefined;
  return logPattern(symptom.subject['pattern'] ?? '')?.role ?? 'own';
}

/** Condition of an explanation: the explained log pattern has one of these numbers. */
export function logNumberIn(
  ...numbers: readonly number[]
): (explainer: Symptom, explained: Symptom) => boolean {
  const wanted = new Set(numbers);
  return (_explainer, explained) => {
    const pattern = logPattern(explained.subject['pattern'] ?? '');
    return pattern !== undefined && wanted.has(pattern.number);
  };
}
