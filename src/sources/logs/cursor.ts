import { finiteNumber, type Json, type JsonObject, objectOr, text } from '../../foreign/json.js';
import { type OpenFile, readRange } from '../tools/read-file.js';

/** How far a log has been read; wire shape of `sources.log_cursors.<name>` (spec 02 §11). */
export type LogCursor = {
  readonly dev: number;
  readonly ino: number;
  /** Everything before it has been judged, bytes. */
  readonly offset: number;
  /** Unix s. */
  readonly mtime: number;
  /** Digest of the bytes before the offset: a log that was cut and has grown again differs there. */
  readonly mark: string;
};

/** What is there to read of a log. */
export interface Unread {
  /** Position of the first byte to read. */
  readonly from: number;
  /** True when the position is the start of a line. */
  readonly isAtLineStart: boolean;
  readonly kind: 'first_sight' | 'appended' | 'replaced';
}

const MARK_BYTES = 64;
/** Appended bytes that one look reads at most. */
const MAX_APPENDED = 256 * 1024;
/** Bytes that a first sight reads. */
const FIRST_SIGHT = 64 * 1024;

/** The stored cursor, null when there is none or it is foreign. */
export function parseLogCursor(value: Json | undefined): LogCursor | null {
  const { dev, ino, offset, mtime, mark } = objectOr(value);
  const numbers = [dev, ino, offset, mtime].map(finiteNumber);
  const [device, inode, position, time] = numbers;
  if (device === undefined || inode === undefined || position === undefined || time === undefined)
    return null;
  return { dev: device, ino: inode, offset: Math.max(0, position), mtime: time, mark: text(mark) ?? '' };
}

/** Where to go on reading: after the cursor, or at the start of a log that was replaced or cut (spec 02 §10.7). */
export function unreadOf(file: OpenFile, cursor: LogCursor | null): Unread {
  const { size, dev, ino } = file.stat;
  if (cursor === null) return within(size, 0, FIRST_SIGHT, 'first_sight');
  const isSame = cursor.dev === dev && cursor.ino === ino && size >= cursor.offset;
  if (isSame && markBefore(file, cursor.offset) === cursor.mark) {
    return within(size, cursor.offset, MAX_APPENDED, 'appended');
  }
  return within(size, 0, MAX_APPENDED, 'replaced');
}

/** The cursor after everything before `offset` has been judged. */
export function cursorAt(file: OpenFile, offset: number): LogCursor {
  const { dev, ino, mtimeMs } = file.stat;
  return { dev, ino, offset, mtime: mtimeMs / 1000, mark: markBefore(file, offset) };
}

/** `sources.log_cursors` with the given ones replaced, oldest dropped. */
export function mergeCursors(
  before: JsonObject,
  now: ReadonlyMap<string, LogCursor>,
  limit: number,
): JsonObject {
  const merged = new Map<string, LogCursor>();
  for (const [name, value] of Object.entries(before)) {
    const cursor = parseLogCursor(value);
    if (cursor !== null) merged.set(name, cursor);
  }
  for (const [name, cursor] of now) merged.set(name, cursor);
  const newest = [...merged].sort(([, a], [, b]) => b.mtime - a.mtime).slice(0, limit);
  return Object.fromEntries(newest);
}

function within(size: number, from: number, limit: number, kind: Unread['kind']): Unread {
  const start = Math.max(from, size - limit);
  return { from: start, isAtLineStart: start === from, kind };
}

function markBefore(file: OpenFile, offset: number): string {
  const start = Math.max(0, offset - MARK_BYTES);
  const bytes = readRange(file.fd, start, offset - start);
  return digest(bytes);
}

/** FNV-1a, 32 bits: enough to tell two logs apart, and the bytes themselves may hold secrets. */
function digest(bytes: Buffer): string {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16);
}
