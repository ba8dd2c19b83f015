import { randomBytes } from 'node:crypto';
import { type ChatSettings, NO_SETTINGS } from './investigator.js';
import type { ServerLimits } from './limits.js';

/** One conversation: what it has set, and which run is its own. */
export interface ChatSession {
  readonly id: string;
  /** Digest of the token that opened it. */
  readonly caller: string;
  readonly createdMs: number;
  usedMs: number;
  settings: ChatSettings;
  /** Missing capabilities are named once. */
  wasElicited: boolean;
  /** The run that has not ended yet. */
  running: string | null;
}

/** Conversations in memory, bounded in number and age; only this store makes ids (spec 07 B14). */
export class SessionStore {
  readonly #sessions = new Map<string, ChatSession>();
  readonly #limits: ServerLimits;
  readonly #now: () => number;

  readonly #initial: ChatSettings;

  /** @param now a clock in ms */
  constructor(limits: ServerLimits, now: () => number, initial: ChatSettings = NO_SETTINGS) {
    this.#initial = initial;
    this.#limits = limits;
    this.#now = now;
  }

  /** The session of this id and caller, else a new one: unknown ids are never adopted. */
  open(id: string | null, caller: string): ChatSession {
    this.#dropExpired();
    const known = id === null ? undefined : this.#sessions.get(id);
    const session = known !== undefined && known.caller === caller ? known : this.#create(caller);
    session.usedMs = this.#now();
    // The map's order is the order of last use.
    this.#sessions.delete(session.id);
    this.#sessions.set(session.id, session);
    return session;
  }

  get size(): number {
    this.#dropExpired();
    return this.#sessions.size;
  }

  #create(caller: string): ChatSession {
    const now = this.#now();
    const id = randomBytes(16).toString('hex');
    while (this.#sessions.size >= this.#limits.maxSessions) {
      const idle = [...this.#sessions.values()].find(({ running }) => running === null);
      const [oldest] = this.#sessions.keys();
      const victim = idle?.id ?? oldest;
      if (victim === undefined) break;
      this.#sessions.delete(victim);
    }
    return {
      id,
      caller,
      createdMs: now,
      usedMs: now,
      settings: this.#initial,
      wasElicited: false,
      running: null,
    };
  }

  #dropExpired(): void {
    const now = this.#now();
    for (const { id, createdMs, usedMs, running } of this.#sessions.values()) {
      const isIdle = running === null && now - usedMs > this.#limits.sessionIdleMs;
      if (isIdle || now - createdMs > this.#limits.sessionAgeMs) this.#sessions.delete(id);
    }
  }
}
