import type { ErrorType } from '../model/error-type.js';

/** What one kind of error line looks like. Expressions need linear time on a bounded line. */
export interface Fingerprint {
  readonly id: string;
  readonly errorType: ErrorType;
  readonly confidence: number;
  readonly pattern: RegExp;
  /** A match that also fits this does not count. */
  readonly unlessMatch?: RegExp;
  /** A line that also fits this does not count. */
  readonly unlessLine?: RegExp;
}

const row = (
  id: string,
  errorType: ErrorType,
  confidence: number,
  pattern: RegExp,
  unless: Pick<Fingerprint, 'unlessMatch' | 'unlessLine'> = {},
): Fingerprint => ({ id, errorType, confidence, pattern, ...unless });

const DEADLINE = /context deadline exceeded|deadline.{0,10}exceeded/gi;

/** Rows of spec 07 A5, in their order; at the reference's own settings. */
export const REFERENCE_FINGERPRINTS: readonly Fingerprint[] = [
  row('oom_killed', 'oom', 0.92, /OOMKilled|out of memory|\bOOM\b/gi),
  row('econnrefused', 'network', 0.88, /ECONNREFUSED|connection refused/gi),
  row('deadline_exceeded', 'runtime_error', 0.85, DEADLINE),
  row('nil_pointer', 'null_pointer', 0.9, /nil pointer|null pointer|NullPointerException/gi),
  row('tls_error', 'tls', 0.9, /certificate expired|x509.*expir|x509.*not yet valid|TLS handshake/gi),
  row('runtime_panic', 'runtime_error', 0.85, /runtime error|panic:/gi),
];

const [OOM_KILLED, ECONNREFUSED, , NIL_POINTER, TLS_ERROR, RUNTIME_PANIC] = REFERENCE_FINGERPRINTS;

/** All rows in the order that decides ties (spec 07 B9.1). */
export const EVIDENCE_FINGERPRINTS: readonly Fingerprint[] = [
  ...[OOM_KILLED, ECONNREFUSED].flatMap((known) => known ?? []),
  row('deadline_exceeded', 'runtime_error', 0.85, DEADLINE, { unlessMatch: /\bnot\b/i }),
  ...[NIL_POINTER, TLS_ERROR].flatMap((known) => known ?? []),
  row('tls_expired_phrase', 'tls', 0.9, /certificate has expired/gi),
  ...[RUNTIME_PANIC].flatMap((known) => known ?? []),
  row('gpu_oom', 'oom', 0.92, /hipErrorOutOfMemory|OutOfMemoryError|HSA_STATUS_ERROR_OUT_OF_RESOURCES/gi),
  row('disk_full', 'infra', 0.92, /No space left on device|\bENOSPC\b/gi),
  row('fd_exhausted', 'infra', 0.9, /Too many open files|\bEMFILE\b/gi),
  row('dns_failure', 'network', 0.9, /\bENOTFOUND\b|Name or service not known|name resolution/gi),
  row(
    'gpu_fault',
    'runtime_error',
    0.88,
    /Memory access fault by GPU|hipErrorIllegalAddress|illegal memory access|MEMORY_APERTURE_VIOLATION/gi,
  ),
  row('gpu_hang', 'infra', 0.88, /GPU hang|amdgpu.{0,40}reset|\bring\s{1,4}\S+\s{1,4}timeout/gi),
  row('port_in_use', 'infra', 0.88, /Address already in use|\bEADDRINUSE\b/gi),
  row(
    'none_deref',
    'null_pointer',
    0.88,
    /'NoneType' object|Cannot read propert(?:y|ies) of (?:null|undefined)/gi,
  ),
  row(
    'index_error',
    'index_out_of_bounds',
    0.88,
    /IndexError|index out of (?:range|bounds)|IndexOutOfBounds/gi,
  ),
  row('segfault', 'runtime_error', 0.86, /Segmentation fault|\bSIGSEGV\b|core dumped/gi),
  row(
    'kv_cache_short',
    'config_error',
    0.86,
    /No available memory for the cache blocks|maximum number of tokens that can be stored in KV cache/gi,
  ),
  row('import_error', 'config_error', 0.85, /ModuleNotFoundError|ImportError|undefined symbol/gi),
  row('checkpoint_load', 'serialization_error', 0.85, /Failed to load checkpoint|SafetensorError/gi),
  row('json_decode', 'parsing_error', 0.84, /JSONDecodeError|Unexpected token.{1,20}in JSON/gi),
  row('lock_contention', 'race_condition', 0.84, /database is locked|SQLITE_BUSY|deadlock/gi),
  row(
    'auth_failure',
    'config_error',
    0.84,
    /401 Unauthorized|403 Forbidden|invalid api key|AuthenticationError/gi,
  ),
  row('value_parse', 'parsing_error', 0.82, /invalid literal for int|could not convert string/gi),
  row(
    'collective_timeout',
    'network',
    0.82,
    /(?:NCCL|RCCL).{0,60}\b(?:timeout|error)\b|collective operation timeout/gi,
  ),
  row('conn_reset', 'network', 0.82, /ECONNRESET|Connection reset by peer|Broken pipe/gi),
  row(
    'unsupported_feature',
    'config_error',
    0.82,
    /(?:MLA|dtype|kernel|\barch\w*).{0,40}not supported|no kernel image/gi,
    { unlessLine: /fall back|falling back|fallback/i },
  ),
  row('ray_dead', 'infra', 0.82, /ActorDiedError|raylet.{0,40}(?:died|failed)/gi),
  row('accuracy_gate', 'code_logic', 0.8, /accuracy .{0,60}gate failed|MMLU .{0,60}below threshold/gi),
  row('engine_core_died', 'runtime_error', 0.8, /Engine ?core.{0,40}(?:died|initialization failed)/gi),
  row('shape_mismatch', 'code_logic', 0.8, /size mismatch|shapes cannot be multiplied/gi),
  row('grpc_unavailable', 'runtime_error', 0.78, /code ?[=:] ?UNAVAILABLE|\b14 UNAVAILABLE\b/gi),
  row('grpc_failed_precondition', 'runtime_error', 0.78, /FAILED_PRECONDITION|FailedPrecondition/gi),
  row('timeout_generic', 'network', 0.78, /timed out after \d{1,9}|\bETIMEDOUT\b|ReadTimeout|TimeoutError/gi),
  row(
    'build_failure',
    'code_logic',
    0.78,
    /hipcc.{0,60}(?:error|signal)|compilation failed|ninja: build stopped/gi,
  ),
  row('key_error', 'code_logic', 0.72, /\bKeyError\b|\bAttributeError\b/gi),
  row(
    'typed_exception',
    'runtime_error',
    0.7,
    /\b[A-Z][A-Za-z0-9_]{0,120}?(?:Exception|Error)[:(]|Traceback \(most recent call last\)/g,
  ),
  row(
    'killed',
    'oom',
    0.6,
    /(?<=\d\s{1,4})Killed\b|\bKilled\b(?=\s*$|\s+process\b)|exit (?:code|status) 137(?!\d)|\bSIGKILL\b/g,
  ),
];

/** Often effects, not causes (spec 07 B9.1). */
export const CONSEQUENCES: ReadonlySet<string> = new Set([
  'econnrefused',
  'conn_reset',
  'timeout_generic',
  'deadline_exceeded',
  'engine_core_died',
  'killed',
  'typed_exception',
  'ray_dead',
  'grpc_unavailable',
]);
