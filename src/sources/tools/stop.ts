import { lazy } from '../../foreign/lazy.js';
import { monotonicMs } from './clock.js';

/**
 * Tells a collector that its time is over. Node's own signals load a module and take longer to make than most collectors
 * to run, so one is made only for a collector that hands it to a tool, a timer or a connection.
 */
export class LazyStop implements StopSource {
  #reason: Error | undefined;
  #controller: AbortController | undefined;

  get aborted(): boolean {
    return this.#reason !== undefined;
  }

  /** @throws the reason, once it is over */
  throwIfAborted(): void {
    if (this.#reason !== undefined) throw this.#reason;
  }

  /** The same as a signal of Node's. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Ends it; only the first reason counts. */
  abort(reason: Error): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#controller?.abort(reason);
  }
}

/** One that makes its signal when it is asked for. */
export interface StopSource {
  readonly aborted: boolean;
  throwIfAborted(): void;
  readonly signal: AbortSignal;
}

/** What collectors and their helpers listen to. */
export type Stop = AbortSignal | StopSource;

/** The signal to hand to Node or a package. */
export function abortSignal(stop: Stop): AbortSignal {
  return 'signal' in stop ? stop.signal : stop;
}

/** One that is over when another is, or after so many ms from now. */
export function within(stop: Stop, ms: number): StopSource {
  const endsAt = monotonicMs() + ms;
  const isLate = () => monotonicMs() >= endsAt;
  const signal = lazy(() =>
    AbortSignal.any([abortSignal(stop), AbortSignal.timeout(Math.max(0, Math.ceil(endsAt - monotonicMs())))]),
  );
  return {
    get aborted() {
      return stop.aborted || isLate();
    },
    throwIfAborted() {
      stop.throwIfAborted();
      if (isLate()) throw new Error('out of time');
    },
    get signal() {
      return signal();
    },
  };
}
