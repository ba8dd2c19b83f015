import type { Redact } from '../../foreign/redact.js';
import { LiveStore, noteOutcome } from './live-store.js';
import { openStore } from './open-store.js';
import type { Trace } from './parse-trace.js';
import { type LabelSource, TraceStore } from './trace-store.js';

/** What became of the traces of a tick. */
export interface FlushOutcome {
  readonly stored: number;
  /** More than the queue holds, or not to be stored. */
  readonly dropped: number;
  /** Why nothing could be stored. */
  readonly problem?: string;
}

/** What the right answer to a call was, and how that is known. */
export interface TraceLabel {
  readonly expected: string;
  readonly isRight: boolean;
  readonly source: LabelSource;
}

/** How traces are stored. */
export interface QueueOptions {
  readonly redact: Redact;
  readonly retentionDays: number;
  /** Unix milliseconds. */
  readonly now: () => number;
}

const CAPACITY = 100;
/** Whoever holds the database longer than this is not worth a late answer. */
const PATIENCE_MS = 100;

/**
 * Traces of answers that were given (spec 08 §21): kept in memory, stored in one transaction after the answers have been
 * used. Full: dropped and counted. Never throws, and never takes part in a tick that has no answers.
 */
export class TraceQueue {
  readonly #path: string;
  readonly #options: QueueOptions;
  #traces: Trace[] = [];
  #dropped = 0;

  /** @param path of `selfedit.db` */
  constructor(path: string, options: QueueOptions) {
    this.#path = path;
    this.#options = options;
  }

  /** False when it is full. */
  push(trace: Trace): boolean {
    if (this.#traces.length >= CAPACITY) {
      this.#dropped += 1;
      return false;
    }
    this.#traces.push(trace);
    return true;
  }

  /** Says what the right answer was to a call that is still in the queue. */
  label(uid: string, label: TraceLabel): void {
    this.#traces = this.#traces.map((trace) =>
      trace.trace_uid === uid
        ? {
            ...trace,
            expected_output: label.expected,
            segment: label.expected,
            success: label.isRight,
            label_source: label.source,
          }
        : trace,
    );
  }

  /** Stores what is there, and deletes a few of those that are too old; the database is opened only when something is there. */
  async flush(): Promise<FlushOutcome> {
    const [traces, dropped] = [this.#traces, this.#dropped];
    this.#traces = [];
    this.#dropped = 0;
    if (traces.length === 0) return { stored: 0, dropped };
    const lost = (problem: string): FlushOutcome => ({
      stored: 0,
      dropped: dropped + traces.length,
      problem,
    });
    const opened = await openStore(this.#path, PATIENCE_MS);
    if (!opened.ok) return lost(opened.problem);
    const { db } = opened;
    try {
      const { now, retentionDays } = this.#options;
      const store = new TraceStore(db, () => now() / 1000);
      const live = new LiveStore(db, () => now() / 1000);
      const work = db.transaction(() => {
        const added = traces.filter((trace) => store.add(this.#masked(trace)));
        for (const trace of added) noteOutcome(live, trace);
        store.trim(retentionDays);
        return added.length;
      });
      const stored = work.immediate();
      return { stored, dropped };
    } catch (error) {
      return lost(error instanceof Error ? error.message : String(error));
    } finally {
      db.close();
    }
  }

  #masked(trace: Trace): Trace {
    return {
      ...trace,
      task_input: this.#options.redact(trace.task_input),
      final_output: this.#options.redact(trace.final_output),
    };
  }
}
