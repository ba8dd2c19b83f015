import { asRows, cellText } from './cells.js';
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

/** Far more than the Coordinator's tables have together. */
const MAX_COLUMNS = 2000;

/** Existing columns per table; a table that is missing or lacks what it is for has none (spec 02 §10.3, schema tolerance). */
export class Schema {
  readonly #columns = new Map<string, Set<string>>();

  /** One statement for all tables: each one costs, on every tick. */
  constructor(db: Sqlite) {
    const rows = db
      .prepare(
        `SELECT m.name AS "table", c.name AS "column" FROM sqlite_master AS m, pragma_table_info(m.name) AS c
         WHERE m.type = 'table' LIMIT ${MAX_COLUMNS}`,
      )
      .all();
    for (const row of asRows(rows)) {
      const table = cellText(row['table']) ?? '';
      const columns = this.#columns.get(table) ?? new Set();
      this.#columns.set(table, columns.add(cellText(row['column']) ?? ''));
    }
  }

  has(table: Table): boolean {
    return REQUIRED[table].every((column) => this.#columns.get(table)?.has(column) === true);
  }

  hasColumn(table: Table, column: string): boolean {
    return this.has(table) && this.#columns.get(table)?.has(column) === true;
  }

  /** The column, or NULL under its name where the table lacks it. */
  select(table: Table, column: string): string {
    return this.hasColumn(table, column) ? `"${column}"` : `NULL AS "${column}"`;
  }

  /** True when the database holds no table at all: it has been created but not yet filled. */
  isBlank(): boolean {
    return this.#columns.size === 0;
  }
}
