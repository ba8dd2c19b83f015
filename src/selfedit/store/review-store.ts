import type { Database } from 'better-sqlite3';
import type { EditReport } from '../loop/report.js';
import type { Edit } from '../prompt/edit.js';
import type { PairRow } from './run-store.js';

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

/** What was done about an approval. */
export type ReviewAct = {
  readonly review_id: number;
  readonly run_id: string;
  readonly kind: 'extend' | 'shadow';
  readonly verdict: string;
  readonly reason: string;
  /** Nothing more is done about it. */
  readonly is_final: number;
  /** Evidence of the fresh cases alone. */
  readonly log_e: number;
  readonly wins: number;
  readonly losses: number;
  readonly n: number;
  readonly at: number;
};

/** The edit of a review as the run that judged it left it. */
export interface EditOrigin {
  readonly runId: string;
  readonly edit: Edit;
  readonly candidateSha256: string | null;
  readonly report: EditReport;
}

type OriginRow = {
  readonly run_id: string;
  readonly edit_json: string;
  readonly candidate_sha256: string | null;
  readonly report_json: string;
};

const EXPIRES_S = 14 * 86_400;

/** What waits for a human, what they said, and what was done about it. */
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

  /** Rows of a prompt, oldest first. */
  list(promptId: string): ReviewRow[] {
    this.#expire();
    return this.#db
      .prepare<[string], ReviewRow>('SELECT * FROM reviews WHERE prompt_id = ? ORDER BY review_id')
      .all(promptId);
  }

  /** A row that can be decided: an open one, or one whose candidate runs in the shadow. */
  undecided(promptId: string, reviewId: number): ReviewRow | null {
    this.#expire();
    return (
      this.#db
        .prepare<[string, number], ReviewRow>(
          `SELECT * FROM reviews WHERE prompt_id = ? AND review_id = ? AND state IN ('open', 'approved_shadow')`,
        )
        .get(promptId, reviewId) ?? null
    );
  }

  /** Decides such a row; false when there is none. */
  decide(
    promptId: string,
    reviewId: number,
    state: Exclude<ReviewState, 'open' | 'expired'>,
    by: { readonly reviewer: string; readonly note: string },
  ): boolean {
    const row = this.undecided(promptId, reviewId);
    if (row === null || row.state === state) return false;
    this.#db
      .prepare('UPDATE reviews SET state = ?, reviewer = ?, note = ?, at = ? WHERE review_id = ?')
      .run(state, by.reviewer, by.note, this.#now(), reviewId);
    return true;
  }

  /** Approved rows of edits about which something is left to do, oldest first. */
  toDo(promptId: string): ReviewRow[] {
    this.#expire();
    return this.#db
      .prepare<[string], ReviewRow>(
        `SELECT * FROM reviews AS r WHERE prompt_id = ? AND kind <> 'oracle_drift'
         AND state IN ('approved_extend', 'approved_shadow') AND NOT EXISTS (
           SELECT 1 FROM review_acts AS a WHERE a.review_id = r.review_id AND a.is_final = 1
           AND a.kind = CASE r.state WHEN 'approved_extend' THEN 'extend' ELSE 'shadow' END)
         ORDER BY review_id`,
      )
      .all(promptId);
  }

  /** Notes what was done; a later note of the same run takes the place of an earlier one. */
  note(act: Omit<ReviewAct, 'at'>): void {
    this.#db
      .prepare(
        `INSERT OR REPLACE INTO review_acts VALUES (@review_id, @run_id, @kind, @verdict, @reason, @is_final, @log_e, @wins,
         @losses, @n, @at)`,
      )
      .run({ ...act, at: this.#now() });
  }

  /** What was done about a review, oldest first. */
  acts(reviewId: number): ReviewAct[] {
    return this.#db
      .prepare<[number], ReviewAct>('SELECT * FROM review_acts WHERE review_id = ? ORDER BY at, rowid')
      .all(reviewId);
  }

  /** Extensions of an edit that have come to an end, under whatever review. */
  extensions(promptId: string, editId: string): ReviewAct[] {
    return this.#db
      .prepare<[string, string], ReviewAct>(
        `SELECT a.* FROM review_acts AS a JOIN reviews AS r USING (review_id)
         WHERE r.prompt_id = ? AND r.edit_id = ? AND a.kind = 'extend' AND a.is_final = 1 ORDER BY a.at, a.rowid`,
      )
      .all(promptId, editId);
  }

  /** The edit of a review as the latest run that judged it left it, other than the given one. */
  origin({ prompt_id, edit_id, kind }: ReviewRow, exceptRun = ''): EditOrigin | null {
    const row = this.#db
      .prepare<[string, string, string, string], OriginRow>(
        `SELECT run_id, edit_json, candidate_sha256, report_json FROM edits
         WHERE prompt_id = ? AND edit_id = ? AND run_id <> ? AND report_json IS NOT NULL AND
         CASE ? WHEN 'near_miss' THEN decision = 'near_miss' AND iteration > 0 WHEN 'polarity' THEN verdict = 'blocked_polarity' ELSE 1 END
         ORDER BY rowid DESC LIMIT 1`,
      )
      .get(prompt_id, edit_id, exceptRun, kind);
    if (row === undefined) return null;
    // Our own rows, written from these types.
    const edit: Edit = JSON.parse(row.edit_json);
    const report: EditReport = JSON.parse(row.report_json);
    return { runId: row.run_id, edit, candidateSha256: row.candidate_sha256, report };
  }

  /** Pairs of an edit on held-out cases, by whatever run, in the order of their making. */
  heldOutPairs(editId: string): (PairRow & { readonly run_id: string; readonly stage: string })[] {
    return this.#db
      .prepare<[string], PairRow & { run_id: string; stage: string }>(
        `SELECT * FROM pairs WHERE edit_id = ? AND stage IN ('confirm', 'extend') ORDER BY run_id, case_id, replicate`,
      )
      .all(editId);
  }

  /** Open rows and shadows of 14 days ago expire, except a flag that freezes promotions. */
  #expire(): void {
    this.#db
      .prepare(
        `UPDATE reviews SET state = 'expired' WHERE state IN ('open', 'approved_shadow') AND kind <> 'oracle_drift'
         AND at < ?`,
      )
      .run(this.#now() - EXPIRES_S);
  }
}
