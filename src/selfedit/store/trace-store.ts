import { randomUUID } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import { sha256 } from '../hash.js';
import { cutBytes } from './cut-bytes.js';
import type { Trace } from './parse-trace.js';

/** A stored trace, as much of it as the loop reads. */
export type TraceRow = {
  readonly id: number;
  readonly trace_uid: string;
  readonly prompt_id: string;
  readonly case_id: string | null;
  readonly group_id: string | null;
  readonly segment: string | null;
  readonly session_id: string | null;
  readonly prompt_version: number | null;
  readonly task_id: string;
  readonly task_input: string;
  readonly final_output: string;
  readonly expected_output: string | null;
  readonly success: number | null;
  readonly failure_reason: string | null;
};

/** Where a label comes from. */
export type LabelSource = 'operator' | 'investigation' | 'rx' | 'case';

const LEASE_S = 900;
/** Rows of the table, at most; ids never come again. */
const MAX_ROWS = 200_000;
/** Deleted at once by a tick. */
const TRIM_ROWS = 50;
const MAX_INPUT = 16 * 1024;
const MAX_OUTPUT = 8 * 1024;

/** Recorded calls of the prompts (spec 08 §21, §22). Leases take the place of marks: a killed process loses its own. */
export class TraceStore {
  readonly #db: Database;
  readonly #now: () => number;

  /** @param now Unix seconds */
  constructor(db: Database, now: () => number) {
    this.#db = db;
    this.#now = now;
  }

  /** Stores one trace, texts cut to 16 and 8 KiB; a known `trace_uid` changes nothing. */
  add(trace: Trace): boolean {
    const {
      steps,
      metadata,
      success,
      input_tokens = null,
      output_tokens = null,
      latency_ms = null,
      ...rest
    } = trace;
    return (
      this.#db
        .prepare(
          `INSERT OR IGNORE INTO traces (trace_uid, prompt_id, prompt_sha256, prompt_version, session_id, case_id, group_id,
           segment, task_id, task_input, steps, final_output, expected_output, success, failure_reason, timestamp, metadata,
           model, label_source, error, input_tokens, output_tokens, latency_ms)
           VALUES (@trace_uid, @prompt_id, @prompt_sha256, @prompt_version, @session_id, @case_id, @group_id, @segment,
           @task_id, @task_input, @steps, @final_output, @expected_output, @success, @failure_reason, @timestamp, @metadata,
           @model, @label_source, @error, @input_tokens, @output_tokens, @latency_ms)`,
        )
        .run({
          ...rest,
          trace_uid: trace.trace_uid ?? randomUUID(),
          task_input: cutBytes(trace.task_input, MAX_INPUT),
          final_output: cutBytes(trace.final_output, MAX_OUTPUT),
          steps: steps.length === 0 ? null : JSON.stringify(steps),
          metadata: JSON.stringify(metadata),
          success: success === null ? null : Number(success),
          input_tokens,
          output_tokens,
          latency_ms,
        }).changes > 0
    );
  }

  /** Says what the right answer was; the trace counts as success when it said so. */
  label(uid: string, expected: string, isRight: boolean, source: LabelSource): boolean {
    return (
      this.#db
        .prepare(
          `UPDATE traces SET expected_output = ?, segment = ?, success = ?, label_source = ?, processed = 0
           WHERE trace_uid = ?`,
        )
        .run(expected, expected, isRight ? 1 : 0, source, uid).changes > 0
    );
  }

  find(uid: string): TraceRow | null {
    return this.#db.prepare<[string], TraceRow>('SELECT * FROM traces WHERE trace_uid = ?').get(uid) ?? null;
  }

  /**
   * Reserves the oldest labelled failures of a prompt, in one immediate transaction that also takes those whose lease has
   * run out. Traces of the given groups, cases and hashes of inputs are never handed out: the analyzer must not see what confirms or audits (§24.9).
   */
  lease(promptId: string, owner: string, limit: number, hiddenGroups: ReadonlySet<string>): TraceRow[] {
    return this.#db
      .transaction((): TraceRow[] => {
        const now = this.#now();
        const rows = this.#db
          .prepare<[string, number], TraceRow>(
            `SELECT * FROM traces WHERE prompt_id = ? AND success = 0 AND expected_output IS NOT NULL AND processed = 0
             AND (lease_until IS NULL OR lease_until <= ?) ORDER BY id`,
          )
          .all(promptId, now)
          .filter((row) => !isHidden(row, hiddenGroups))
          .slice(0, limit);
        const take = this.#db.prepare('UPDATE traces SET lease_owner = ?, lease_until = ? WHERE id = ?');
        for (const { id } of rows) take.run(owner, now + LEASE_S, id);
        return rows;
      })
      .immediate();
  }

  /** Marks leased traces as done. */
  acknowledge(owner: string): number {
    return this.#db
      .prepare(
        'UPDATE traces SET processed = 1, lease_owner = NULL, lease_until = NULL WHERE lease_owner = ?',
      )
      .run(owner).changes;
  }

  /** Gives leased traces back. */
  release(owner: string): number {
    return this.#db
      .prepare('UPDATE traces SET lease_owner = NULL, lease_until = NULL WHERE lease_owner = ?')
      .run(owner).changes;
  }

  /** Deletes traces older than so many days, never those that somebody works on. */
  cleanUp(days: number): number {
    const now = this.#now();
    const oldest = new Date((now - days * 86_400) * 1000).toISOString();
    return this.#db
      .prepare('DELETE FROM traces WHERE timestamp < ? AND (lease_until IS NULL OR lease_until <= ?)')
      .run(oldest, now).changes;
  }

  /** The latest answers of sessions that nobody has labelled, newest first. */
  unlabelled(promptId: string, limit: number): (TraceRow & { readonly timestamp: string })[] {
    return this.#db
      .prepare<[string, number], TraceRow & { timestamp: string }>(
        `SELECT * FROM traces WHERE prompt_id = ? AND expected_output IS NULL AND session_id IS NOT NULL AND error IS NULL
         ORDER BY id DESC LIMIT ?`,
      )
      .all(promptId, limit);
  }

  /** Deletes a few traces that are too old or too many: work that does not grow with the table. */
  trim(days: number): number {
    const now = this.#now();
    const oldest = new Date((now - days * 86_400) * 1000).toISOString();
    const isFree = '(lease_until IS NULL OR lease_until <= @now)';
    const old = this.#db
      .prepare(
        `DELETE FROM traces WHERE id IN (SELECT id FROM traces WHERE timestamp < @oldest AND ${isFree}
         ORDER BY timestamp LIMIT @limit)`,
      )
      .run({ oldest, now, limit: TRIM_ROWS }).changes;
    const tooMany = this.#db
      .prepare(
        `DELETE FROM traces WHERE id IN (SELECT id FROM traces WHERE id <= (SELECT MAX(id) FROM traces) - @most
         AND ${isFree} ORDER BY id LIMIT @limit)`,
      )
      .run({ most: MAX_ROWS, now, limit: TRIM_ROWS }).changes;
    return old + tooMany;
  }

  /** The latest answers that a version gave in sessions, newest first. */
  latestAnswers(promptId: string, version: number, limit: number): string[] {
    return this.#db
      .prepare<[string, number, number], { final_output: string }>(
        `SELECT final_output FROM traces WHERE prompt_id = ? AND prompt_version = ? AND session_id IS NOT NULL
         AND error IS NULL ORDER BY id DESC LIMIT ?`,
      )
      .all(promptId, version, limit)
      .map(({ final_output }) => final_output);
  }

  /** How many there are; `pending`: labelled failures that no run has worked through. */
  counts(promptId: string): { total: number; labelled: number; failures: number; pending: number } {
    const row = this.#db
      .prepare<[string], Record<'total' | 'labelled' | 'failures' | 'pending', number | null>>(
        `SELECT COUNT(*) AS total, SUM(expected_output IS NOT NULL) AS labelled, SUM(success = 0) AS failures,
         SUM(success = 0 AND expected_output IS NOT NULL AND processed = 0) AS pending FROM traces WHERE prompt_id = ?`,
      )
      .get(promptId);
    return {
      total: row?.total ?? 0,
      labelled: row?.labelled ?? 0,
      failures: row?.failures ?? 0,
      pending: row?.pending ?? 0,
    };
  }
}

/** By its group, its case, or its very input, whatever it is called. */
function isHidden({ group_id, case_id, task_input }: TraceRow, hidden: ReadonlySet<string>): boolean {
  return [group_id, case_id, sha256(task_input)].some((key) => key !== null && hidden.has(key));
}
