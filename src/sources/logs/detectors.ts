import { lazy } from '../../foreign/lazy.js';
import { asWord, directly, followedBy, type Language, literal, near, oneOf } from './language.js';
import { ANY_EXCEPTION, lastWords } from './last-words.js';

/**
 * What a hit says about a failure (spec 03 §8.2): a root can start one, a confirmation says that something died but not why,
 * a cascade is usually a consequence, `own` is none of these.
 */
export type LogRole = 'root' | 'cascade' | 'confirmation' | 'own';

export interface LogDetector {
  /** Wire value: subject and cooldown key, byte for byte. */
  readonly identifier: string;
  readonly role: LogRole;
  readonly language: Language;
  /** An out-of-memory line that may name sizes. */
  readonly namesSizes?: true;
  /** Says something about what is supported, which engines also log when they choose another way. */
  readonly isHarmlessBelowError?: true;
}

/** `first`, a blank, any text, a blank, `second`: at least two blanks between them. */
function gap(first: string, second: string): Language {
  return near(`${first} `, ` ${second}`);
}

/**
 * The log detectors of spec 03 §8.2 in the order in which they are tried; the first that accepts a line and is not excused
 * by the safety constraint names it. Languages are in lower case.
 */
export const logDetectors = lazy((): readonly LogDetector[] => [
  { identifier: 'Memory access fault by GPU', role: 'root', language: literal('memory access fault by gpu') },
  {
    identifier: 'Memory Fault Error',
    role: 'root',
    language: directly('memory fault error', / {1,8}\[host:/),
  },
  {
    identifier: 'HSA_STATUS_ERROR',
    role: 'root',
    language: directly(
      'hsa_status_error_',
      /(?:memory_fault|memory_aperture_violation|exception|illegal_instruction)/,
    ),
  },
  { identifier: 'amdgpu ring timeout', role: 'root', language: amdgpuRingTimeout },
  { identifier: 'GPU has fallen off the bus', role: 'root', language: literal('fallen off the bus') },
  {
    identifier: 'collective operation timeout',
    role: 'root',
    language: literal('watchdog caught collective operation timeout'),
  },
  {
    identifier: 'ncclSystemError',
    role: 'root',
    language: oneOf(
      ...['ncclsystemerror', 'ncclunhandledcudaerror', 'ncclinternalerror', 'ncclremoteerror'].map((word) =>
        asWord(literal(word)),
      ),
    ),
  },
  {
    identifier: 'shared memory segment',
    role: 'root',
    language: literal('error while creating shared memory segment'),
  },
  {
    identifier: 'Out of memory: Killed process',
    role: 'root',
    language: directly('out of memory: killed process', / {1,8}\d{1,10}/),
  },
  { identifier: 'Ray memory monitor', role: 'root', language: near('killed due to', 'memory') },
  {
    identifier: 'EngineCore died',
    role: 'confirmation',
    language: oneOf(
      ...['enginecore', 'engine core'].flatMap((name) =>
        ['died', 'failed to start', 'exited unexpectedly'].map((end) => near(name, end, 60)),
      ),
    ),
  },
  { identifier: 'EngineDeadError', role: 'confirmation', language: asWord(literal('enginedeaderror')) },
  { identifier: 'No space left on device', role: 'root', language: literal('no space left on device') },
  { identifier: 'Too many open files', role: 'root', language: literal('too many open files') },
  { identifier: 'waiting for baton release', role: 'own', language: literal('waiting for baton release') },
  {
    identifier: 'runtime\\.cli .* timed out after \\d+s',
    role: 'own',
    language: followedBy('runtime.cli ', ' timed out after ', /\d{1,12}s/),
  },
  {
    identifier: 'RuntimeError: Engine core initialization failed',
    role: 'confirmation',
    language: literal('runtimeerror: engine core initialization failed'),
  },
  { identifier: 'Engine core .* died', role: 'confirmation', language: gap('engine core', 'died') },
  { identifier: 'tokenizer worker .* died', role: 'cascade', language: gap('tokenizer worker', 'died') },
  { identifier: 'aiter .* compilation failed', role: 'root', language: gap('aiter', 'compilation failed') },
  { identifier: 'hipcc .* signal', role: 'root', language: gap('hipcc', 'signal') },
  {
    identifier: 'MLA.*not supported',
    role: 'root',
    language: near('mla', 'not supported'),
    isHarmlessBelowError: true,
  },
  {
    identifier: 'MTP draft .* unavailable',
    role: 'root',
    language: gap('mtp draft', 'unavailable'),
    isHarmlessBelowError: true,
  },
  { identifier: 'accuracy .* gate failed', role: 'own', language: gap('accuracy', 'gate failed') },
  { identifier: 'MMLU .* below threshold', role: 'own', language: gap('mmlu', 'below threshold') },
  { identifier: 'cudaErrorOutOfDevice', role: 'root', language: asWord(literal('cudaerroroutofdevice')) },
  {
    identifier: 'HSA_STATUS_ERROR_OUT_OF_RESOURCES',
    role: 'root',
    language: asWord(literal('hsa_status_error_out_of_resources')),
  },
  {
    identifier: 'ROCblas.*Status\\s*\\d+',
    role: 'root',
    language: followedBy('rocblas', 'status', /\s{0,80}\d/),
  },
  { identifier: 'hipBLAS.*Error', role: 'root', language: near('hipblas', 'error') },
  { identifier: 'NCCL WARN .* timeout', role: 'cascade', language: gap('nccl warn', 'timeout') },
  { identifier: 'Address already in use', role: 'own', language: literal('address already in use') },
  { identifier: 'Failed to load checkpoint', role: 'root', language: literal('failed to load checkpoint') },
  {
    identifier: 'CUDA out of memory',
    role: 'root',
    language: literal('cuda out of memory'),
    namesSizes: true,
  },
  {
    identifier: 'hipErrorOutOfMemory',
    role: 'root',
    language: asWord(literal('hiperroroutofmemory')),
    namesSizes: true,
  },
  { identifier: 'HIP out of memory', role: 'root', language: literal('hip out of memory'), namesSizes: true },
  { identifier: 'Segmentation fault', role: 'root', language: literal('segmentation fault') },
  { identifier: 'core dumped', role: 'confirmation', language: literal('core dumped') },
  { identifier: 'NCCL error', role: 'root', language: literal('nccl error') },
  { identifier: 'OOMKilled', role: 'root', language: asWord(literal('oomkilled')) },
  {
    identifier: 'failed to allocate',
    role: 'cascade',
    language: literal('failed to allocate'),
    namesSizes: true,
  },
  // Before the two that say nothing of a cause.
  ...lastWords(),
  { identifier: 'RuntimeError', role: 'cascade', language: asWord(literal('runtimeerror')) },
  { identifier: 'Killed', role: 'cascade', language: asWord(literal('killed')) },
  ANY_EXCEPTION,
]);

function amdgpuRingTimeout(line: string, from: number): ReturnType<Language> {
  const start = line.indexOf('amdgpu', from);
  if (start === -1) return undefined;
  const ring = asWord(literal('ring'))(line, start + 'amdgpu'.length);
  if (ring === undefined) return undefined;
  const timeout = line.indexOf('timeout', ring.end);
  return timeout === -1 ? undefined : { start, end: timeout + 'timeout'.length };
}
