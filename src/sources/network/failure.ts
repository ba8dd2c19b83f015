/** How far a request came (spec 02 §14). */
export type HttpPhase = 'connect' | 'tls' | 'send' | 'headers';

/** Why no response came. */
export type HttpFailureKind = 'refused' | 'reset' | 'timeout' | 'dns' | 'tls' | 'protocol' | 'invalid_url';

export interface HttpFailure {
  readonly kind: 'failed';
  readonly failure: HttpFailureKind;
  /** Absent when no request was made. */
  readonly phase?: HttpPhase;
  /** The text of spec 02 §5.9: `timeout`, `connect: ConnectError` or `request: <class>: <detail>`. */
  readonly error: string;
  readonly ms: number;
}

const RESET_CODES = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'ECONNABORTED']);
const TIMEOUT_CODES = new Set([
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_ABORTED',
  'ABORT_ERR',
]);
const DNS_CODES = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA', 'EAI_NONAME']);
const UNREACHABLE_CODES = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'EACCES',
  'EPERM',
]);

/** The failure that an error of the HTTP client amounts to. */
export function httpFailure(error: unknown, phase: HttpPhase, ms: number): HttpFailure {
  const code = codeOf(error);
  const detail = detailOf(error, code);
  if (TIMEOUT_CODES.has(code)) return { kind: 'failed', failure: 'timeout', phase, error: 'timeout', ms };
  if (DNS_CODES.has(code))
    return { kind: 'failed', failure: 'dns', phase, error: 'connect: ConnectError', ms };
  if (phase === 'tls') {
    return { kind: 'failed', failure: 'tls', phase, error: `request: TLSError: ${detail}`, ms };
  }
  if (phase === 'connect' && UNREACHABLE_CODES.has(code)) {
    return { kind: 'failed', failure: 'refused', phase, error: 'connect: ConnectError', ms };
  }
  if (RESET_CODES.has(code)) {
    return { kind: 'failed', failure: 'reset', phase, error: `request: ConnectionReset: ${detail}`, ms };
  }
  return { kind: 'failed', failure: 'protocol', phase, error: `request: ProtocolError: ${detail}`, ms };
}

/** A target that cannot be asked at all. */
export function invalidTarget(className: 'InvalidURL' | 'UnsupportedProtocol', detail: string): HttpFailure {
  return { kind: 'failed', failure: 'invalid_url', error: `request: ${className}: ${detail}`, ms: 0 };
}

function codeOf(error: unknown): string {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error ? error.name : '';
}

/** Our own words or the code, never text that a server has sent. */
function detailOf(error: unknown, code: string): string {
  return /^[A-Z0-9_]{2,60}$/.test(code) ? code : error instanceof Error ? error.name : 'unknown';
}
