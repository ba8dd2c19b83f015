import type { Sqlite } from './sqlite-driver.js';

/** Tables of the Coordinator that we read, and the columns without which a table says nothing. */
const REQUIRED = {
  events: ['seq'],
  tasks: ['task_id', 'state'],
  leases: ['task_id'],
  cursors: ['agent', 'last_processed_seq'],
  gpu_leases: ['gpu_id'],
} as const;

export type Table = keyof typeof REQUIRED;

/** Existing columns per table; a table that is missing or lacks what it is for has none (spec 02 §10.3, schema tolerance). */
export class Schema {
  readonly #db: Sqlite;
  readonly #columns = new Map<Table, ReadonlySet<string>>();

  constructor(db: Sqlite) {
    this.#db = db;
  }

  has(table: Table): boolean {
    return this.#of(table).size > 0;
  }

  hasColumn(table: Table, column: string): boolean {
    return this.#of(table).has(column);
  }

  /** The column, or NULL under its name where the table lacks it. */
  select(table: Table, column: string): string {
    return this.hasColumn(table, column) ? `"${column}"` : `NULL AS "${column}"`;
  }

  /** True when the database holds no table at all: it has been created but not yet filled. */
  isBlank(): boolean {
    return this.#db.prepare('SELECT 1 FROM sqlite_master LIMIT 1').get() === undefined;
  }

  #of(table: Table): ReadonlySet<string> {
    const known = this.#columns.get(table);
    if (known !== undefined) return known;
    const rows: unknown[] = this.#db.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table);
    const names = new Set(rows.map(String));
    const isComplete = REQUIRED[table].every((column) => names.has(column));
    const columns = isComplete ? names : new Set<string>();
    this.#columns.set(table, columns);
    return columns;
  }
}
