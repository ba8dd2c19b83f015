import type { Database } from 'better-sqlite3';
import type { Trace } from './parse-trace.js';

/** Labelled outcomes of answers that were really given (spec 08 §24.10). */
export class LiveStore {
  readonly #db: Database;
  readonly #now: () => number;

  /** @param now Unix seconds */
  constructor(db: Database, now: () => number) {
    this.#db = db;
    this.#now = now;
  }

  /** Notes one outcome; a trace counts once, with its latest label. */
  set(promptId: string, version: number, traceUid: string, isRight: boolean): void {
    this.#db
      .prepare(
        `INSERT INTO live VALUES (?, ?, ?, ?, ?) ON CONFLICT (trace_uid) DO UPDATE SET outcome = excluded.outcome`,
      )
      .run(promptId, version, traceUid, isRight ? 1 : 0, this.#now());
  }

  /** Outcomes of a version, oldest first. */
  outcomes(promptId: string, version: number): boolean[] {
    return this.#db
      .prepare<[string, number], { outcome: number }>(
        'SELECT outcome FROM live WHERE prompt_id = ? AND version = ? ORDER BY at, rowid',
      )
      .all(promptId, version)
      .map(({ outcome }) => outcome === 1);
  }
}

/** A labelled answer of a session counts for the version that gave it (spec 08 §24.10). */
export function noteOutcome(
  live: LiveStore,
  {
    trace_uid,
    session_id,
    prompt_version,
    success,
    prompt_id,
  }: Pick<Trace, 'trace_uid' | 'session_id' | 'prompt_version' | 'success' | 'prompt_id'>,
): void {
  if (trace_uid === null || session_id === null || prompt_version === null || success === null) return;
  live.set(prompt_id, prompt_version, trace_uid, success);
}
