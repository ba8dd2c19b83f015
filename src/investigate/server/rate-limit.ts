const WINDOW_MS = 60_000;
const MAX_CLIENTS = 2000;

/** Requests per client and minute, in a sliding window. */
export class RateLimit {
  readonly #perMinute: number;
  readonly #now: () => number;
  readonly #times = new Map<string, number[]>();

  /** @param now a clock in ms */
  constructor(perMinute: number, now: () => number) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /** Counts one request; 0 when it may go on, else the seconds to wait. */
  take(client: string): number {
    const now = this.#now();
    const recent = (this.#times.get(client) ?? []).filter((time) => time > now - WINDOW_MS);
    const [oldest] = recent;
    if (oldest !== undefined && recent.length >= this.#perMinute) {
      return Math.max(1, Math.ceil((oldest + WINDOW_MS - now) / 1000));
    }
    // Moves the client to the end, so that the first of the map is the one that has been quiet longest.
    this.#times.delete(client);
    this.#times.set(client, [...recent, now]);
    const [quietest] = this.#times.keys();
    if (this.#times.size > MAX_CLIENTS && quietest !== undefined) this.#times.delete(quietest);
    return 0;
  }
}
