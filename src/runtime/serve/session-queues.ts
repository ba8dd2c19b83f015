/** Requests that may wait for one session; its Coordinator sends one at a time. */
const MAX_WAITING = 16;

/** Work of one session one after the other, that of different sessions side by side. */
export class SessionQueues {
  readonly #queues = new Map<string, { readonly last: Promise<void>; readonly waiting: number }>();

  /** Sessions with work. */
  get size(): number {
    return this.#queues.size;
  }

  /** Runs the work after all earlier work of the session; undefined when too much of it waits already. */
  run<T>(session: string, work: () => Promise<T>): Promise<T> | undefined {
    const before = this.#queues.get(session);
    const waiting = (before?.waiting ?? 0) + 1;
    if (waiting > MAX_WAITING) return undefined;
    const result = (before?.last ?? Promise.resolve()).then(work);
    const last = result
      .then(
        () => undefined,
        () => undefined,
      )
      .then(() => this.#leave(session));
    this.#queues.set(session, { last, waiting });
    return result;
  }

  /** Resolves once no session has work. */
  async idle(): Promise<void> {
    while (this.#queues.size > 0) await Promise.all([...this.#queues.values()].map(({ last }) => last));
  }

  #leave(session: string): void {
    const now = this.#queues.get(session);
    if (now === undefined) return;
    if (now.waiting <= 1) this.#queues.delete(session);
    else this.#queues.set(session, { last: now.last, waiting: now.waiting - 1 });
  }
}
