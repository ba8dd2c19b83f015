import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type IssueContext, isCancelledResult } from '../model/heal-result.js';
import { investigationId } from '../store/paths.js';
import type { ErrorEvent } from './events.js';
import { InvestigationFailure, type Investigator } from './investigator.js';
import type { ServerLimits } from './limits.js';
import { LiveRun } from './live-run.js';
import type { ChatSession } from './session-store.js';

/** Ended runs kept in memory, for clients that come back for the last events. */
const KEPT = 50;
const CANCELLED_NOTE = 'The investigation was cancelled; what it had found is kept.';

export interface RunRegistryOptions {
  readonly investigator: Investigator;
  readonly limits: ServerLimits;
  /** Wall clock, ms. */
  readonly now: () => number;
  /** Told what went wrong inside; never shown to a client. */
  readonly onFailure?: (error: unknown, investigationId: string) => void;
}

/** Starts, finds, cancels and ends runs. */
export class RunRegistry {
  readonly #options: RunRegistryOptions;
  readonly #runs = new Map<string, LiveRun>();
  readonly #promises = new Set<Promise<void>>();

  constructor(options: RunRegistryOptions) {
    this.#options = options;
  }

  get running(): number {
    return this.#promises.size;
  }

  find(id: string): LiveRun | undefined {
    return this.#runs.get(id);
  }

  /** Newest first. */
  all(): LiveRun[] {
    return [...this.#runs.values()].reverse();
  }

  /** Begins a run for a session, or says why it cannot. */
  start(session: ChatSession, issue: IssueContext): LiveRun | ErrorEvent {
    const { limits, now } = this.#options;
    const refuse = (message: string): ErrorEvent => ({
      type: 'error',
      session_id: session.id,
      code: 'busy',
      message,
    });
    if (session.running !== null) return refuse('This session has an investigation that is still running.');
    if (this.running >= limits.maxConcurrent) {
      return refuse('As many investigations as allowed are running; try again when one has ended.');
    }
    const startedUnix = Math.floor(now() / 1000);
    const id = investigationId(startedUnix, randomBytes(4).toString('hex'));
    const run = new LiveRun({ id, sessionId: session.id, issue, startedUnix, detachMs: limits.detachMs });
    session.running = id;
    this.#remember(run);
    const settings = session.settings;
    const promise = this.#work(run, { investigationId: id, sessionId: session.id, issue, settings }).finally(
      () => {
        session.running = null;
        this.#promises.delete(promise);
      },
    );
    this.#promises.add(promise);
    return run;
  }

  /** Cancels all and waits for them, at most so long. */
  async shutDown(): Promise<void> {
    for (const run of this.#runs.values()) run.cancel();
    const waited = new AbortController();
    const limit = delay(this.#options.limits.shutdownMs, undefined, { signal: waited.signal }).catch(
      () => undefined,
    );
    await Promise.race([Promise.all(this.#promises), limit]);
    waited.abort();
    for (const run of this.#runs.values()) run.end(ended(run, 'cancelled', 'The server was stopped.'));
  }

  async #work(run: LiveRun, question: Parameters<Investigator['start']>[0]): Promise<void> {
    const { investigator, onFailure } = this.#options;
    try {
      const result = await investigator.start(question, (event) => run.tell(event), run.signal);
      if (isCancelledResult(result)) return run.end(ended(run, 'cancelled', CANCELLED_NOTE));
      run.end({ type: 'final', session_id: run.sessionId, result });
    } catch (error) {
      if (run.signal.aborted) {
        run.end(ended(run, 'cancelled', CANCELLED_NOTE));
      } else if (error instanceof InvestigationFailure) {
        run.end(ended(run, error.code, error.message));
      } else {
        onFailure?.(error, run.id);
        run.end(ended(run, 'internal', 'The investigation failed; the log of the server says why.'));
      }
    }
  }

  #remember(run: LiveRun): void {
    this.#runs.set(run.id, run);
    for (const old of this.#runs.values()) {
      if (this.#runs.size <= KEPT) return;
      if (old.outcome !== null) this.#runs.delete(old.id);
    }
  }
}

function ended(run: LiveRun, code: ErrorEvent['code'], message: string): ErrorEvent {
  return { type: 'error', session_id: run.sessionId, code, message };
}
