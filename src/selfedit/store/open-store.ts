import { dirname } from 'node:path';
import type { Database } from 'better-sqlite3';
import { privateDirectory } from '../registry/files.js';
import { ADDED_COLUMNS, SCHEMA, SCHEMA_VERSION } from './schema.js';

/** The database of the loop, or why it cannot be used. */
export type OpenedStore =
  | { readonly ok: true; readonly db: Database }
  | { readonly ok: false; readonly problem: string };

const PATIENCE_MS = 30_000;

/**
 * Opens `selfedit.db` in WAL mode, creating it where missing; a newer schema is refused (spec 08 §2.2, §22).
 *
 * @param patienceMs how long a statement waits for somebody who holds the database
 */
export async function openStore(path: string, patienceMs = PATIENCE_MS): Promise<OpenedStore> {
  let db: Database | undefined;
  try {
    const { default: Driver } = await import('better-sqlite3');
    if (path !== ':memory:') privateDirectory(dirname(path));
    const mask = process.umask(0o077);
    try {
      db = new Driver(path, { timeout: patienceMs });
      db.pragma('journal_mode = WAL');
    } finally {
      process.umask(mask);
    }
    db.pragma('synchronous = NORMAL');
    db.pragma('foreign_keys = ON');
    const version = Number(db.pragma('user_version', { simple: true }));
    if (version > SCHEMA_VERSION) {
      db.close();
      return { ok: false, problem: `${path} was written by a newer version (schema ${version})` };
    }
    if (version < SCHEMA_VERSION) createSchema(db);
    return { ok: true, db };
  } catch (error) {
    db?.close();
    return {
      ok: false,
      problem: error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error),
    };
  }
}

function createSchema(db: Database): void {
  db.transaction(() => {
    db.exec(SCHEMA);
    for (const [table, column, type] of ADDED_COLUMNS) {
      const has = db.prepare('SELECT 1 FROM pragma_table_xinfo(?) WHERE name = ?').get(table, column);
      if (has === undefined) db.exec(`ALTER TABLE ${table} ADD COLUMN ${column} ${type}`);
    }
    db.pragma(`user_version = ${SCHEMA_VERSION}`);
  }).immediate();
}
