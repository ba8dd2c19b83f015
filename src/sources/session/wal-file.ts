import { closeSync, statSync } from 'node:fs';
import { endianness } from 'node:os';
import { join } from 'node:path';
import { finiteNumber, type JsonObject } from '../../foreign/json.js';
import { openRegular, readRange } from '../tools/read-file.js';

const SHM_HEAD_BYTES = 100;
/** Offsets in the write-ahead log's shared memory file (SQLite, walformat, "WAL-index header"). */
const IS_INITIALISED_AT = 12;
const LAST_FRAME_AT = 16;
const COPIED_BACK_AT = 96;

/**
 * `local_state_integrity.wal`: sizes of the database and its write-ahead log (spec 02 §5.17, §10.6). The log never shrinks,
 * so the frames that wait to be copied back are read from its shared memory file, without opening the database.
 */
export function describeWal(
  sessionDir: string,
  remembered: JsonObject,
): { slot: JsonObject; memory: JsonObject } {
  const dbPath = join(sessionDir, 'storage', 'coordinator.db');
  const walPath = `${dbPath}-wal`;
  const walBytes = sizeOf(walPath);
  const slot = {
    db_path: dbPath,
    wal_path: walPath,
    wal_bytes: walBytes ?? 0,
    db_bytes: sizeOf(dbPath) ?? 0,
    wal_present: walBytes !== null,
    wal_frames_pending: pendingFrames(`${dbPath}-shm`, sessionDir),
    previous_wal_bytes: finiteNumber(remembered['last_bytes']) ?? null,
  };
  return { slot, memory: { last_bytes: walBytes ?? 0 } };
}

/** Bytes of a regular file, null when there is none or it cannot be looked at. */
export function sizeOf(path: string): number | null {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat?.isFile() === true ? stat.size : null;
  } catch {
    return null;
  }
}

function pendingFrames(shmPath: string, root: string): number | null {
  const opened = openRegular(shmPath, root);
  if (!opened.ok) return null;
  try {
    const head = readRange(opened.fd, 0, SHM_HEAD_BYTES);
    if (head.length < SHM_HEAD_BYTES || head[IS_INITIALISED_AT] !== 1) return null;
    const word = (offset: number) =>
      endianness() === 'LE' ? head.readUInt32LE(offset) : head.readUInt32BE(offset);
    return Math.max(0, word(LAST_FRAME_AT) - word(COPIED_BACK_AT));
  } catch {
    return null;
  } finally {
    closeSync(opened.fd);
  }
}
