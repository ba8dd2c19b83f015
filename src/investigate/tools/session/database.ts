/** One row of a fixed statement; cells are foreign. */
export type DatabaseRow = Readonly<Record<string, unknown>>;

export interface RowLimits {
  readonly maxRows: number;
  /** Bytes of text in all cells together. */
  readonly maxBytes: number;
  readonly maxMs: number;
}

/** The Coordinator's database, opened for reading; the command hands it in. */
export interface SessionDatabase {
  /**
   * Rows of a fixed statement with bound parameters; stops at the limits.
   *
   * @throws the driver's error, such as a missing column
   */
  rows(sql: string, parameters: readonly (string | number)[], limits: RowLimits): DatabaseRow[];
}

export type WithDatabase = <T>(
  use: (database: SessionDatabase) => T,
) => Promise<{ readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string }>;

export const ROW_LIMITS: RowLimits = { maxRows: 200, maxBytes: 8 * 1024 * 1024, maxMs: 2000 };
