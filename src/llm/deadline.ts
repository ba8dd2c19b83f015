import { setTimeout as delay } from 'node:timers/promises';

/** One point in time after which nothing may go on, as a signal and as the time that is left. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Milliseconds left; 0 once it has passed or was cancelled. */
  remainingMs(): number;
}

/** A deadline with a timer of its own, to be cleared when the work is done. */
export interface OwnDeadline extends Deadline {
  clear(): void;
}

/** Time as the callers see it; tests bring their own. */
export interface Clock {
  /** Monotonic, milliseconds. */
  now(): number;
  /** Resolves after so many milliseconds, or as soon as the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
};

/** A deadline so many milliseconds from now, never later than its parent. */
export function deadlineIn(ms: number, parent?: Deadline, clock: Clock = systemClock): OwnDeadline {
  const budget = Math.max(0, Math.min(ms, parent?.remainingMs() ?? Number.POSITIVE_INFINITY));
  const end = clock.now() + budget;
  const controller = new AbortController();
  const expire = (): void => controller.abort(new DOMException('the deadline has passed', 'TimeoutError'));
  const follow = (): void => controller.abort(parent?.signal.reason);
  // AbortSignal.any over AbortSignal.timeout can be collected before it fires on Node 20, hence the plain timer.
  const timer = Number.isFinite(budget) ? setTimeout(expire, Math.min(budget, 2 ** 31 - 1)) : undefined;
  const clear = (): void => {
    clearTimeout(timer);
    parent?.signal.removeEventListener('abort', follow);
  };
  if (parent?.signal.aborted) follow();
  else parent?.signal.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    remainingMs: () => (controller.signal.aborted ? 0 : Math.max(0, end - clock.now())),
    clear,
  };
}

/** True when the signal was aborted because time ran out, false when somebody cancelled. */
export function isTimeout(signal: AbortSignal): boolean {
  return signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError';
}
