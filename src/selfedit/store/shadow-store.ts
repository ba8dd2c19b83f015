import type { Database } from 'better-sqlite3';

/** An input of a session that the current version has answered. */
export type LiveInput = { readonly trace_uid: string; readonly task_input: string };

/** A candidate's answer to such an input, which nobody used. */
export type ShadowAnswer = {
  readonly trace_uid: string;
  /** Null when none came. */
  readonly answer: string | null;
  readonly is_broken: number;
  readonly error: string | null;
};

/** The same with what is known of the answer that was used. */
export type ShadowPair = ShadowAnswer & {
  /** The right answer; null without a label. */
  readonly expected_output: string | null;
  /** Whether the answer that was used was right. */
  readonly success: number | null;
  readonly final_output: string | null;
};

/** Answers of candidates in the shadow (spec 08 §24.10). */
export class ShadowStore {
  readonly #db: Database;
  readonly #now: () => number;

  /** @param now Unix seconds */
  constructor(db: Database, now: () => number) {
    this.#db = db;
    this.#now = now;
  }

  /** The latest inputs of a version that a review's candidate has not seen, newest first. */
  unseen(reviewId: number, promptId: string, version: number, limit: number): LiveInput[] {
    return this.#db
      .prepare<[string, number, number, number], LiveInput>(
        `SELECT trace_uid, task_input FROM traces AS t WHERE prompt_id = ? AND prompt_version = ?
         AND session_id IS NOT NULL AND error IS NULL AND NOT EXISTS (
           SELECT 1 FROM shadow_answers AS s WHERE s.review_id = ? AND s.trace_uid = t.trace_uid)
         ORDER BY id DESC LIMIT ?`,
      )
      .all(promptId, version, reviewId, limit);
  }

  add(reviewId: number, { trace_uid, answer, is_broken, error }: ShadowAnswer): void {
    this.#db
      .prepare('INSERT OR IGNORE INTO shadow_answers VALUES (?, ?, ?, ?, ?, ?)')
      .run(reviewId, trace_uid, answer, is_broken, error, this.#now());
  }

  /** Deletes answers older than so many days. */
  cleanUp(days: number): number {
    return this.#db.prepare('DELETE FROM shadow_answers WHERE at < ?').run(this.#now() - days * 86_400)
      .changes;
  }

  /** All answers of a review's candidate, oldest first. */
  pairs(reviewId: number): ShadowPair[] {
    return this.#db
      .prepare<[number], ShadowPair>(
        `SELECT s.trace_uid, s.answer, s.is_broken, s.error, t.expected_output, t.success, t.final_output
         FROM shadow_answers AS s LEFT JOIN traces AS t USING (trace_uid) WHERE s.review_id = ? ORDER BY s.rowid`,
      )
      .all(reviewId);
  }
}
