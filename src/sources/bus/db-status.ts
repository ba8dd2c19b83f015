import type { CollectorVerdict } from '../collector.js';

/** What became of the attempt to read the Coordinator's database (spec 02 §10.3). */
export type DbFailure = {
  readonly status: 'missing' | 'empty' | 'foreign_schema' | 'locked' | 'corrupt' | 'unreadable';
  readonly detail: string;
  /** For `unreadable`: what the file system said. */
  readonly permission?: boolean;
};

/** `local_state_integrity.db.status` of spec 04 §11, from the status of 02 §14. */
export function integrityStatus(status: DbFailure['status'] | 'ok'): string {
  if (status === 'foreign_schema') return 'foreign';
  return status === 'unreadable' ? 'unknown' : status;
}

/** The verdict that all answers from this database share. */
export function verdictOf(failure: DbFailure): CollectorVerdict {
  const { status, detail } = failure;
  switch (status) {
    case 'missing':
      return { status: 'empty', reason: 'missing', detail };
    case 'empty':
      return { status: 'empty', detail };
    case 'locked':
      return { status: 'timeout', reason: 'locked', detail };
    case 'foreign_schema':
    case 'corrupt':
      return { status: 'error', reason: status, detail };
    case 'unreadable':
      return { status: 'unknown', reason: failure.permission === true ? 'permission' : 'exception', detail };
  }
}

/** The failure that an SQLite error code stands for. */
export function failureOf(error: unknown): DbFailure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const message = error instanceof Error ? error.message : String(error);
  const detail = code === '' ? message : `${code}: ${message}`;
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return { status: 'locked', detail };
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return { status: 'corrupt', detail };
  if (code === 'SQLITE_ERROR' && /no such (table|column)/.test(message))
    return { status: 'foreign_schema', detail };
  return { status: 'unreadable', detail, permission: /^SQLITE_(PERM|AUTH|READONLY|CANTOPEN)/.test(code) };
}

/** True when reading a private copy gets around the failure: recovery, or a shared-memory file that cannot be made. */
export function isCuredByCopy(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^SQLITE_(READONLY|CANTOPEN)/.test(code);
}
