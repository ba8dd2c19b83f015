import { type ErrorBody, readErrorBody } from './error-body.js';
import type { Exchange } from './exchange.js';
import type { FailureReason, LlmFailure } from './failure.js';
import type { Redact } from './redaction.js';
import { retryAfterSeconds } from './retry-after.js';
import { wholeCharacters } from './text.js';

/** A failure, with what the endpoint said for those who can mend the request. */
export interface Refusal {
  readonly failure: LlmFailure;
  readonly said: ErrorBody;
}

const BODY_CHARS = 500;
const OVERFLOW =
  /context[ _-]?(length|window|size)|maximum context|prompt is too long|input is too long|too many (input |prompt )?tokens|reduce the length|exceeds? the (model'?s? )?(max|limit)[^.]*token/i;
const OVERLOAD = /overloaded|over capacity|at capacity|model is busy/i;

/** Turns an HTTP answer other than 2xx into a failure; texts are redacted. `nowMs` is wall time, for HTTP dates. */
export function classifyRefusal(exchange: Exchange, redact: Redact, nowMs: number): Refusal {
  const said = readErrorBody(exchange.body);
  const reason = reasonOf(exchange.status, said);
  const retryAfterS = retryAfterSeconds(exchange.headers, nowMs);
  const shouldRetry = shouldRetryOf(exchange.headers['x-should-retry'], reason);
  const what = [...said.words.slice(0, 1), said.message].filter((part) => part !== '').join(': ');
  return {
    said,
    failure: {
      reason,
      message: redact(`the endpoint answered ${exchange.status}${what === '' ? '' : ` (${what})`}`),
      status: exchange.status,
      body: bodyStart(exchange.body, redact),
      ...(retryAfterS !== undefined && { retryAfterS }),
      ...(shouldRetry !== undefined && { shouldRetry }),
    },
  };
}

/** A 2xx answer that is no chat answer. */
export function badAnswer(exchange: Exchange, problem: string, redact: Redact): LlmFailure {
  return {
    reason: 'bad_answer',
    message: redact(problem),
    status: exchange.status,
    body: bodyStart(exchange.body, redact),
  };
}

function reasonOf(status: number, said: ErrorBody): FailureReason {
  const text = `${said.words.join(' ')} ${said.message}`;
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 413 || ((status === 400 || status === 422 || status >= 500) && OVERFLOW.test(text))) {
    return 'context_overflow';
  }
  if (status === 404) return 'not_found';
  if (status === 429) return 'rate_limited';
  if (status === 529 || (status >= 500 && OVERLOAD.test(text))) return 'overloaded';
  if (status === 408 || status === 409 || status === 425 || status >= 500) return 'server_error';
  return status >= 400 ? 'bad_request' : 'bad_answer';
}

/** The header may forbid another try, and may allow one only where we would not know better (a 4xx is final). */
function shouldRetryOf(header: string | undefined, reason: FailureReason): boolean | undefined {
  if (header === 'false') return false;
  if (
    header === 'true' &&
    (reason === 'rate_limited' || reason === 'overloaded' || reason === 'server_error')
  )
    return true;
  return undefined;
}

/** Redacted before it is cut, so that no half of a secret survives at the edge. */
function bodyStart(body: string, redact: Redact): string {
  return wholeCharacters(redact(body.slice(0, 4 * BODY_CHARS)).slice(0, BODY_CHARS));
}
