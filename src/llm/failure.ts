/** Why a request to a model gave no answer. */
export type FailureReason =
  /** The deadline, or the limit of one attempt, passed. */
  | 'timed_out'
  /** The caller's signal was aborted. */
  | 'cancelled'
  /** No HTTP answer came: refused, reset, unknown host, TLS. */
  | 'connection'
  /** 429. */
  | 'rate_limited'
  /** 529, or an overload said in another way. */
  | 'overloaded'
  /** Any other 5xx, 408, 409, 425. */
  | 'server_error'
  /** 401 or 403. */
  | 'unauthorized'
  /** 404: the path or the model does not exist. */
  | 'not_found'
  /** The request does not fit into the model's window, not even shrunk. */
  | 'context_overflow'
  /** Any other 4xx. */
  | 'bad_request'
  /** An answer that is no chat answer: HTML, broken JSON, no choices, a redirect, too many bytes. */
  | 'bad_answer'
  /** A limit of the caller's own budget. */
  | 'budget_exhausted'
  /** No usable endpoint or credential. */
  | 'not_configured'
  /** The client library could not be loaded. */
  | 'library_missing'
  /** A cassette holds no answer to this request. */
  | 'replay_miss';

/** A failure as data. Texts are redacted and bounded. */
export interface LlmFailure {
  readonly reason: FailureReason;
  /** One line: what happened. */
  readonly message: string;
  /** HTTP status, when an answer came. */
  readonly status?: number;
  /** Start of the answer's body, at most 500 characters. */
  readonly body?: string;
  /** What the endpoint asked for, in seconds. */
  readonly retryAfterS?: number;
  /** The endpoint's own word on whether another try makes sense (`x-should-retry`). */
  readonly shouldRetry?: boolean;
}

const RETRYABLE: ReadonlySet<FailureReason> = new Set([
  'timed_out',
  'connection',
  'rate_limited',
  'overloaded',
  'server_error',
]);

/** True when the same request may succeed later (spec 05 B.8): a 4xx other than 408, 409, 425 and 429 is final. */
export function isRetryable(failure: LlmFailure): boolean {
  return failure.shouldRetry ?? RETRYABLE.has(failure.reason);
}

const LASTING: ReadonlySet<FailureReason> = new Set([
  'unauthorized',
  'not_found',
  'not_configured',
  'library_missing',
]);

/** True when nothing but a change of the configuration will help. */
export function isLasting(failure: LlmFailure): boolean {
  return LASTING.has(failure.reason);
}
