import { isRetryable, type LlmFailure } from './failure.js';

/** When a failed request is tried again. */
export interface RetryPolicy {
  /** Further HTTP requests after the first failed one. */
  readonly maxRetries: number;
  /** Limit of one HTTP request, milliseconds. */
  readonly attemptTimeoutMs: number;
  /** First wait, milliseconds; it doubles with each retry. */
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
  /** A longer `Retry-After` than this is not waited for. */
  readonly longestRetryAfterMs: number;
  /** No attempt is begun with less than this left before the deadline. */
  readonly leastRemainingMs: number;
}

/** RCA in the tick: at most one retry, and only if time is left (spec 05 B.8). */
export const TICK_RETRIES: RetryPolicy = {
  maxRetries: 1,
  attemptTimeoutMs: 8_000,
  firstWaitMs: 500,
  longestWaitMs: 8_000,
  longestRetryAfterMs: 30_000,
  leastRemainingMs: 1_000,
};

/** Investigations and other slow work: 60 s per request, two retries (spec 07 B12). */
export const PATIENT_RETRIES: RetryPolicy = { ...TICK_RETRIES, maxRetries: 2, attemptTimeoutMs: 60_000 };

/**
 * Milliseconds to wait before the next attempt, or null when there is to be none: the failure is final, the retries are
 * used up, or the wait (the endpoint's own, else exponential with up to 25 % off) would leave no time for an attempt.
 *
 * @param retriesDone retries made so far
 * @param random uniform in [0, 1)
 */
export function waitBeforeRetry(
  failure: LlmFailure,
  retriesDone: number,
  remainingMs: number,
  policy: RetryPolicy,
  random: () => number,
): number | null {
  if (retriesDone >= policy.maxRetries || !isRetryable(failure)) return null;
  const asked = failure.retryAfterS === undefined ? undefined : failure.retryAfterS * 1000;
  if (asked !== undefined && asked > policy.longestRetryAfterMs) return null;
  const backOff = Math.min(policy.longestWaitMs, policy.firstWaitMs * 2 ** retriesDone) * (1 - random() / 4);
  const wait = Math.max(asked ?? 0, asked === undefined || asked === 0 ? backOff : 0);
  return remainingMs - wait < policy.leastRemainingMs ? null : wait;
}
