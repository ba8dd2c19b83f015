import { monotonicMs } from './clock.js';

/** Many deadlines on one timer: most of what they guard is over before the first could be due. */
export class Deadlines {
  readonly #pending = new Map<() => void, number>();
  #timer: NodeJS.Timeout | undefined;
  #firesAt = Number.POSITIVE_INFINITY;

  /** Calls back at a time of {@link monotonicMs}, unless it is dropped before. */
  add(at: number, late: () => void): void {
    this.#pending.set(late, at);
    if (at < this.#firesAt) this.#arm(at);
  }

  drop(late: () => void): void {
    this.#pending.delete(late);
  }

  /** Calls back all that are left, whatever their time. */
  end(): void {
    clearTimeout(this.#timer);
    for (const late of [...this.#pending.keys()]) this.#call(late);
  }

  #arm(at: number): void {
    clearTimeout(this.#timer);
    this.#firesAt = at;
    this.#timer = setTimeout(() => this.#fire(), Math.max(0, at - monotonicMs()));
  }

  #fire(): void {
    this.#firesAt = Number.POSITIVE_INFINITY;
    // A timer may fire up to a millisecond early.
    const now = monotonicMs() + 1;
    for (const [late, at] of [...this.#pending]) if (at <= now) this.#call(late);
    const next = Math.min(...this.#pending.values());
    if (Number.isFinite(next)) this.#arm(next);
  }

  #call(late: () => void): void {
    this.#pending.delete(late);
    late();
  }
}
