/**
 * Tells a collector that its time is over. Node's own signals load a module and take longer to make than most collectors
 * to run, so one is made only for a collector that hands it to a tool, a timer or a connection.
 */
export class LazyStop {
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

/** What collectors and their helpers listen to. */
export type Stop = AbortSignal | LazyStop;

/** The signal to hand to Node or a package. */
export function abortSignal(stop: Stop): AbortSignal {
  return stop instanceof LazyStop ? stop.signal : stop;
}
