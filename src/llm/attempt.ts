import type { AnswerParser, PreparedCall } from './adapter.js';
import type { ChatReply } from './chat.js';
import { badAnswer, classifyRefusal } from './classify.js';
import { type Clock, type Deadline, deadlineIn, isTimeout } from './deadline.js';
import type { ErrorBody } from './error-body.js';
import type { Exchange } from './exchange.js';
import type { LlmFailure } from './failure.js';
import { isRecord, parseJson } from './json.js';
import type { Redact } from './redaction.js';
import type { Transport } from './transport.js';
import type { TokenUsage } from './usage.js';

/** What became of one HTTP request. */
export type AttemptOutcome<R = ChatReply> =
  | { readonly ok: true; readonly reply: R; readonly characters: number }
  | FailedAttempt;

export type FailedAttempt = {
  readonly ok: false;
  readonly failure: LlmFailure;
  readonly characters: number;
  readonly usage?: TokenUsage | undefined;
  /** What an error body said, for mending the request. */
  readonly said?: ErrorBody;
};

export interface AttemptContext<R = ChatReply> {
  readonly adapter: AnswerParser<R>;
  readonly transport: Transport;
  readonly redact: Redact;
  readonly clock: Clock;
  /** Wall time, milliseconds since the epoch. */
  readonly wallNow: () => number;
  readonly timeoutMs: number;
}

/** Sends a prepared call once. Resolves at the latest when its time-out or the deadline passes, whatever hangs. */
export async function attemptOnce<R = ChatReply>(
  call: PreparedCall,
  deadline: Deadline,
  context: AttemptContext<R>,
): Promise<AttemptOutcome<R>> {
  const endsWithDeadline = deadline.remainingMs() <= context.timeoutMs;
  const own = deadlineIn(context.timeoutMs, deadline, context.clock);
  const stop = (): FailedAttempt =>
    failed(
      endsWithDeadline || deadline.signal.aborted ? stopped(deadline.signal) : tookTooLong(context.timeoutMs),
    );
  const seen: { exchange?: Exchange; wasSent?: true } = {};
  const send = context.transport.fetchFor((exchange) => {
    seen.exchange = exchange;
  });
  const tracked: typeof fetch = (input, init) => {
    seen.wasSent = true;
    return send(input, init);
  };
  try {
    const sent = call.send({
      fetch: tracked,
      signal: own.signal,
      // Later than ours, so that the one who ends it is the one who can say why.
      timeoutMs: Math.ceil(own.remainingMs()) + 1000,
    });
    const error = await Promise.race([sent.then(() => null, errorOf), aborted(own.signal)]);
    if (error === TIME_IS_UP) return stop();
    if (seen.exchange) return judge(seen.exchange, context);
    if (own.signal.aborted) return stop();
    const reason = seen.wasSent ? 'connection' : 'not_configured';
    return failed({ reason, message: context.redact(`no answer came: ${describe(error)}`) });
  } finally {
    own.clear();
  }
}

/** The failure of work that the deadline, or its owner, ended. */
export function stopped(signal: AbortSignal): LlmFailure {
  return signal.aborted && !isTimeout(signal)
    ? { reason: 'cancelled', message: 'the request was cancelled' }
    : { reason: 'timed_out', message: 'no answer before the deadline' };
}

function tookTooLong(timeoutMs: number): LlmFailure {
  return { reason: 'timed_out', message: `no answer within ${(timeoutMs / 1000).toFixed(1)} s` };
}

function judge<R>(exchange: Exchange, { adapter, redact, wallNow }: AttemptContext<R>): AttemptOutcome<R> {
  const characters = exchange.body.length;
  if (exchange.status < 200 || exchange.status > 299) {
    return { ok: false, characters, ...classifyRefusal(exchange, redact, wallNow()) };
  }
  const refuse = (problem: string): FailedAttempt => ({
    ok: false,
    characters,
    failure: badAnswer(exchange, problem, redact),
  });
  if (exchange.isCut) return refuse('the answer is larger than the limit');
  const json = parseJson(exchange.body);
  if (!json.ok)
    return refuse(`the answer is no JSON (${exchange.headers['content-type'] ?? 'no content type'})`);
  if (!isRecord(json.value)) return refuse('the answer is no JSON object');
  const parsed = adapter.parse(json.value);
  if (!parsed.ok)
    return {
      ok: false,
      characters,
      failure: badAnswer(exchange, parsed.problem, redact),
      usage: parsed.usage,
    };
  return { ok: true, reply: parsed.reply, characters };
}

function failed(failure: LlmFailure): FailedAttempt {
  return { ok: false, failure, characters: 0 };
}

const TIME_IS_UP = Symbol('time is up');

function aborted(signal: AbortSignal): Promise<typeof TIME_IS_UP> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(TIME_IS_UP);
    else signal.addEventListener('abort', () => resolve(TIME_IS_UP), { once: true });
  });
}

function errorOf(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** The innermost cause, which is the one that says something ("connect ECONNREFUSED …"). */
function describe(error: unknown): string {
  let innermost: unknown = error;
  for (
    let depth = 0;
    depth < 8 && innermost instanceof Error && innermost.cause instanceof Error;
    depth += 1
  ) {
    innermost = innermost.cause;
  }
  const text =
    innermost instanceof Error ? innermost.message || innermost.name : 'the library gave no answer';
  return text.replace(/\s+/g, ' ').slice(0, 200);
}
