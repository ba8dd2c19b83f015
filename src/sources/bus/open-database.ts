import { accessSync, closeSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { openRegular, readFileBounded, readRange } from '../tools/read-file.js';
import { type DbFailure, failureOf, isCuredByCopy } from './db-status.js';
import { copyDatabase, totalBytes } from './private-copy.js';
import { type Sqlite, sqliteDriver } from './sqlite-driver.js';

const MIB = 2 ** 20;
/** Up to it, a database that nobody has open is read into memory, which is quicker than a copy on disk. */
const IN_MEMORY_LIMIT = 4 * MIB;
/** Above it, two small files beside a database that nobody has open are the lesser evil. */
const IDLE_COPY_LIMIT = 32 * MIB;
const COPY_LIMIT = 256 * MIB;
const MAGIC = 'SQLite format 3\0';
/** Byte 18 of the header: 2 = written with a write-ahead log. */
const WRITE_VERSION_AT = 18;
const ROLLBACK_MODE = 1;

export type Opened =
  | {
      readonly ok: true;
      readonly db: Sqlite;
      readonly devIno: string;
      readonly how: 'in_place' | 'copy' | 'memory';
    }
  | { readonly ok: false; readonly failure: DbFailure };

/**
 * Opens the Coordinator's database for reading beside a live writer, leaving no file behind (spec 02 §10.3): in place when
 * somebody has it open, a private copy in memory or on disk otherwise.
 *
 * @param root a link in place of the database is followed only inside it
 */
export function openDatabase(path: string, root: string): Opened {
  const header = readHeader(path, root);
  if (!header.ok) return header;
  const driver = sqliteDriver();
  if (!driver.ok) return failed({ status: 'unreadable', detail: driver.detail });

  const { realPath, isWal, devIno } = header;
  const hasWal = existsSync(`${realPath}-wal`);
  const hasShm = existsSync(`${realPath}-shm`);
  const isWritable = canWrite(dirname(realPath));
  const size = totalBytes(realPath);
  const openCopy = (): Opened => ({
    ok: true,
    db: driver.open(copyDatabase(realPath).path, 'private'),
    devIno,
    how: 'copy',
  });

  try {
    const isIdle = isWal && !hasWal && !hasShm;
    const inMemory = isIdle && size <= IN_MEMORY_LIMIT ? readIdle(realPath) : null;
    if (inMemory !== null) return { ok: true, db: driver.open(inMemory, 'readonly'), devIno, how: 'memory' };
    if (isIdle && size <= IDLE_COPY_LIMIT) return openCopy();
    if (isWal && !hasShm && !isWritable) {
      if (size <= COPY_LIMIT) return openCopy();
      return failed({
        status: 'unreadable',
        detail: `read-only directory, ${size} bytes are too many to copy`,
        permission: true,
      });
    }
    try {
      const db = driver.open(realPath, 'readonly');
      touch(db);
      return { ok: true, db, devIno, how: 'in_place' };
    } catch (error) {
      if (isCuredByCopy(error) && size <= COPY_LIMIT) return openCopy();
      throw error;
    }
  } catch (error) {
    return failed(failureOf(error));
  }
}

/** The bytes of a database that nobody has open; null when somebody opened or wrote it meanwhile. */
function readIdle(path: string): Buffer | null {
  const read = readFileBounded(path, { maxBytes: IN_MEMORY_LIMIT });
  if (!read.ok || existsSync(`${path}-wal`)) return null;
  const after = statSync(path, { throwIfNoEntry: false });
  if (after?.size !== read.size || after.mtimeMs / 1000 !== read.mtimeUnix) return null;
  // Memory has no write-ahead log; with nothing in it, the file is the same as one written without.
  read.bytes.fill(ROLLBACK_MODE, WRITE_VERSION_AT, WRITE_VERSION_AT + 2);
  return read.bytes;
}

/** Reads the schema version, which is what brings out a lock, a need for recovery or a foreign file. */
function touch(db: Sqlite): void {
  try {
    db.pragma('schema_version');
  } catch (error) {
    db.close();
    throw error;
  }
}

type Header =
  | { readonly ok: true; readonly realPath: string; readonly isWal: boolean; readonly devIno: string }
  | { readonly ok: false; readonly failure: DbFailure };

function readHeader(path: string, root: string): Header {
  const opened = openRegular(path, root);
  if (!opened.ok) {
    if (opened.reason === 'missing') return failed({ status: 'missing', detail: 'no database yet' });
    const permission = opened.reason === 'permission';
    return failed({ status: 'unreadable', detail: opened.detail, permission });
  }
  try {
    const { size, dev, ino } = opened.stat;
    if (size === 0) return failed({ status: 'empty', detail: 'the database has no bytes' });
    const head = readRange(opened.fd, 0, 100);
    if (head.toString('latin1', 0, MAGIC.length) !== MAGIC) {
      return failed({ status: 'corrupt', detail: 'not an SQLite database' });
    }
    const isWal = head[WRITE_VERSION_AT] === 2;
    return { ok: true, realPath: realpathSync(path), isWal, devIno: `${dev}:${ino}` };
  } catch (error) {
    return failed({ status: 'unreadable', detail: String(error) });
  } finally {
    closeSync(opened.fd);
  }
}

function canWrite(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function failed(failure: DbFailure): { readonly ok: false; readonly failure: DbFailure } {
  return { ok: false, failure };
}
