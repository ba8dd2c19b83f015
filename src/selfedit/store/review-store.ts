import type { Database } from 'better-sqlite3';

/** States of the human queue (spec 08 §24.10). */
export type ReviewState = 'open' | 'approved_extend' | 'approved_shadow' | 'rejected' | 'expired';

/** Why something waits for a human. */
export type ReviewKind = 'near_miss' | 'polarity' | 'oracle_drift';

export type ReviewRow = {
  readonly review_id: number;
  readonly prompt_id: string;
  readonly edit_id: string;
  readonly state: ReviewState;
  readonly kind: ReviewKind;
  readonly reviewer: string | null;
  readonly note: string | null;
  readonly at: number;
};

const EXPIRES_S = 14 * 86_400;

/** What waits for a human, and what they said. */
export class ReviewStore {
  readonly #db: Database;
  readonly #now: () => number;

  /** @param now Unix seconds */
  constructor(db: Database, now: () => number) {
    this.#db = db;
    this.#now = now;
  }

  open(promptId: string, editId: string, kind: ReviewKind, note: string): void {
    const known = this.#db
      .prepare<[string, string, string], ReviewRow>(
        `SELECT * FROM reviews WHERE prompt_id = ? AND edit_id = ? AND kind = ? AND state = 'open'`,
      )
      .get(promptId, editId, kind);
    if (known !== undefined) return;
    this.#db
      .prepare(
        `INSERT INTO reviews (prompt_id, edit_id, state, kind, note, at) VALUES (?, ?, 'open', ?, ?, ?)`,
      )
      .run(promptId, editId, kind, note, this.#now());
  }

  /** Rows of a prompt, oldest first; open ones of 14 days ago expire, except a flag that freezes promotions. */
  list(promptId: string): ReviewRow[] {
    this.#db
      .prepare(
        `UPDATE reviews SET state = 'expired' WHERE state = 'open' AND kind <> 'oracle_drift' AND at < ?`,
      )
      .run(this.#now() - EXPIRES_S);
    return this.#db
      .prepare<[string], ReviewRow>('SELECT * FROM reviews WHERE prompt_id = ? ORDER BY review_id')
      .all(promptId);
  }

  /** Decides an open row; false when there is none. */
  decide(
    reviewId: number,
    state: Exclude<ReviewState, 'open' | 'expired'>,
    by: { readonly reviewer: string; readonly note: string },
  ): boolean {
    return (
      this.#db
        .prepare(
          `UPDATE reviews SET state = ?, reviewer = ?, note = ?, at = ? WHERE review_id = ? AND state = 'open'`,
        )
        .run(state, by.reviewer, by.note, this.#now(), reviewId).changes > 0
    );
  }
}
