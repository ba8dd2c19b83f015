import { monotonicMs } from './clock.js';

/**
 * Many deadlines on one timer, which is set only once the work of the moment is done: most of what they guard is over by
 * then.
 */
export class Deadlines {
  readonly #pending = new Map<() => void, number>();
  #timer: NodeJS.Timeout | undefined;
  #firesAt = Number.POSITIVE_INFINITY;
  #isToBeSet = false;

  /** Calls back at a time of {@link monotonicMs}, unless it is dropped before. */
  add(at: number, late: () => void): void {
    this.#pending.set(late, at);
    if (at >= this.#firesAt || this.#isToBeSet) return;
    this.#isToBeSet = true;
    process.nextTick(() => this.#set());
  }

  drop(late: () => void): void {
    this.#pending.delete(late);
  }

  /** Calls back all that are left, whatever their time. */
  end(): void {
    this.#clear();
    for (const late of [...this.#pending.keys()]) this.#call(late);
  }

  #set(): void {
    this.#isToBeSet = false;
    this.#clear();
    this.#firesAt = Math.min(...this.#pending.values());
    if (!Number.isFinite(this.#firesAt)) return;
    this.#timer = setTimeout(() => this.#fire(), Math.max(0, this.#firesAt - monotonicMs()));
  }

  #clear(): void {
    if (this.#timer !== undefined) clearTimeout(this.#timer);
  }

  #fire(): void {
    // A timer may fire up to a millisecond early.
    const now = monotonicMs() + 1;
    for (const [late, at] of [...this.#pending]) if (at <= now) this.#call(late);
    this.#set();
  }

  #call(late: () => void): void {
    this.#pending.delete(late);
    late();
  }
}
