import type { Redact } from '../../foreign/redact.js';
import { openStore } from './open-store.js';
import type { Trace } from './parse-trace.js';
import { TraceStore } from './trace-store.js';

/** What became of the traces of a tick. */
export interface FlushOutcome {
  readonly stored: number;
  /** More than the queue holds. */
  readonly dropped: number;
  /** Why nothing could be stored. */
  readonly problem?: string;
}

const CAPACITY = 100;

/**
 * Traces of answers that were given (spec 08 §21): kept in memory, stored in one transaction after the answers have been
 * used. Full: dropped and counted. Never throws, and never takes part in a tick that has no answers.
 */
export class TraceQueue {
  readonly #path: string;
  readonly #redact: Redact;
  #traces: Trace[] = [];
  #dropped = 0;

  /** @param path of `selfedit.db` */
  constructor(path: string, redact: Redact) {
    this.#path = path;
    this.#redact = redact;
  }

  push(trace: Trace): void {
    if (this.#traces.length < CAPACITY) this.#traces.push(trace);
    else this.#dropped += 1;
  }

  /** Stores what is there; the database is opened only when something is. */
  async flush(): Promise<FlushOutcome> {
    const [traces, dropped] = [this.#traces, this.#dropped];
    this.#traces = [];
    this.#dropped = 0;
    if (traces.length === 0) return { stored: 0, dropped };
    const opened = await openStore(this.#path);
    if (!opened.ok) return { stored: 0, dropped, problem: opened.problem };
    const { db } = opened;
    try {
      // Whoever holds the database longer than this is not worth a late answer.
      db.pragma('busy_timeout = 200');
      const store = new TraceStore(db, () => Date.now() / 1000);
      const stored = db.transaction(() => traces.filter((trace) => store.add(this.#masked(trace))).length)();
      return { stored, dropped };
    } catch (error) {
      return { stored: 0, dropped, problem: error instanceof Error ? error.message : String(error) };
    } finally {
      db.close();
    }
  }

  #masked(trace: Trace): Trace {
    return {
      ...trace,
      task_input: this.#redact(trace.task_input),
      final_output: this.#redact(trace.final_output),
    };
  }
}
