import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { DatabaseRow, RowLimits, WithDatabase } from '../../investigate/tools/session/database.js';
import { type DbFailure, failureOf } from '../../sources/bus/db-status.js';
import { openDatabase } from '../../sources/bus/open-database.js';
import type { Sqlite } from '../../sources/bus/sqlite-driver.js';

const LOCK_WAIT_MS = 2000;
const LOCK_POLL_MS = 50;

/** The Coordinator's database for the tools of an investigation: read-only, one connection per question. */
export function sessionDatabase(sessionDir: string): WithDatabase {
  const path = join(sessionDir, 'storage', 'coordinator.db');
  return async (use) => {
    const giveUpAt = performance.now() + LOCK_WAIT_MS;
    for (;;) {
      const outcome = useOnce(path, sessionDir, use);
      if (outcome.ok) return outcome;
      if (outcome.failure.status !== 'locked' || performance.now() > giveUpAt) {
        return { ok: false, reason: `the database is ${outcome.failure.status}: ${outcome.failure.detail}` };
      }
      await delay(LOCK_POLL_MS);
    }
  };
}

type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: DbFailure };

function useOnce<T>(
  path: string,
  root: string,
  use: Parameters<WithDatabase>[0] extends (database: infer D) => unknown ? (database: D) => T : never,
): Outcome<T> {
  const opened = openDatabase(path, root);
  if (!opened.ok) return opened;
  try {
    opened.db.pragma('query_only = 1');
    return {
      ok: true,
      value: use({ rows: (sql, parameters, limits) => rowsOf(opened.db, sql, parameters, limits) }),
    };
  } catch (error) {
    return { ok: false, failure: failureOf(error) };
  } finally {
    opened.db.close();
  }
}

function rowsOf(
  db: Sqlite,
  sql: string,
  parameters: readonly (string | number)[],
  limits: RowLimits,
): DatabaseRow[] {
  const end = performance.now() + limits.maxMs;
  const rows: DatabaseRow[] = [];
  let bytes = 0;
  for (const row of db.prepare(sql).iterate(...parameters)) {
    if (typeof row !== 'object' || row === null) continue;
    const cells = { ...row };
    for (const cell of Object.values(cells)) if (typeof cell === 'string') bytes += cell.length;
    if (rows.length >= limits.maxRows || bytes > limits.maxBytes || performance.now() > end) break;
    rows.push(cells);
  }
  return rows;
}
