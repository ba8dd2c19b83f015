import { closeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { namesIn } from '../tools/list-directory.js';
import { type FileRefusal, type OpenFile, openRegular, readRange } from '../tools/read-file.js';
import type { LogFile } from './candidates.js';
import { cursorAt, type LogCursor, unreadOf } from './cursor.js';
import { MAX_LINE, splitLogLines } from './lines.js';
import { joinRecords, type LogLine, type LogRecord } from './records.js';

/** What a log has gained since the last look. */
export interface NewlyRead {
  /** Joined; the last one may be read again, when it is complete. */
  readonly records: readonly LogRecord[];
  readonly lines: readonly LogLine[];
  /** The positions are those of another file than the cursor's. */
  readonly isReplaced: boolean;
  /** Where the last look left off, bytes; null at first sight and in a log that was replaced. */
  readonly resumedAt: number | null;
  /** How long the log has not been written to, s. */
  readonly quietS: number;
  /** True for a position from which the next look can read once more. */
  mayReadAgain(offset: number): boolean;
}

/** Judges what a log has gained; gives the position from which the next look shall read once more, or undefined. */
export type JudgeNew = (read: NewlyRead) => number | undefined;

/** What a look at one log brought. */
export interface LogReading {
  readonly ok: true;
  readonly lines: readonly LogLine[];
  /** The last lines of the file, for people. */
  readonly tail: readonly string[];
  readonly cursor: LogCursor;
  /** The positions are those of another file than the cursor's. */
  readonly isReplaced: boolean;
  /** What a rotated log still held when it was renamed. */
  readonly rotated: readonly LogRecord[];
}

const TAIL_FIRST = 32 * 1024;
const TAIL_MOST = 256 * 1024;
/** A record that is not complete is read again, unless it is larger, bytes. */
const MAX_PENDING = 64 * 1024;
const ROTATED_ENTRIES = 512;

/**
 * Reads what a log has gained since the cursor, and its tail. A first sight of a log that has been quiet for longer than
 * `staleAfterS` only places the cursor: what it says is no news.
 *
 * @param judge called with what is new, while the log is open
 */
export function readLog(
  file: LogFile,
  cursor: LogCursor | null,
  tailLines: number,
  nowUnix: number,
  staleAfterS: number,
  judge: JudgeNew,
): LogReading | FileRefusal {
  const opened = openRegular(file.path, file.root);
  if (!opened.ok) return opened;
  try {
    const tail = readTail(opened, tailLines);
    const quietS = nowUnix - opened.stat.mtimeMs / 1000;
    const isStale = cursor === null && quietS > staleAfterS;
    if (isStale) {
      return {
        ok: true,
        lines: [],
        tail,
        cursor: cursorAt(opened, opened.stat.size),
        isReplaced: false,
        rotated: [],
      };
    }
    const unread = unreadOf(opened, cursor);
    const bytes = readRange(opened.fd, unread.from, opened.stat.size - unread.from);
    const newest = judgeable(bytes, unread.from, unread.isAtLineStart);
    const waiting =
      unread.kind === 'appended' && cursor !== null ? readWaiting(opened, cursor, unread.from) : [];
    const records = [...joinRecords(waiting), ...newest.records];
    const lines = [...waiting, ...newest.lines];
    const { offset } = newest;
    const isReplaced = unread.kind === 'replaced';
    const wasRenamed = isReplaced && cursor !== null && cursor.ino !== opened.stat.ino;
    const rotated = wasRenamed ? readRotated(file, cursor) : [];
    const resumedAt = unread.kind === 'appended' ? (cursor?.offset ?? null) : null;
    const mayReadAgain = (at: number) => at <= offset && opened.stat.size - at <= MAX_PENDING;
    const again = judge({ records, lines, isReplaced, resumedAt, quietS, mayReadAgain });
    return { ok: true, lines, tail, cursor: cursorAt(opened, again ?? offset), isReplaced, rotated };
  } catch (error) {
    return { ok: false, reason: 'io', detail: String(error) };
  } finally {
    closeSync(opened.fd);
  }
}

/** Records of the bytes, and the position up to which they need not be read again. */
function judgeable(
  bytes: Buffer,
  from: number,
  isAtLineStart: boolean,
): { records: readonly LogRecord[]; lines: readonly LogLine[]; offset: number } {
  const split = splitLogLines(bytes, from);
  const end = from + bytes.length;
  const complete = isAtLineStart ? split.lines : split.lines.slice(1);
  // A line without an end may be all that a crash has left, so it is judged now and again when it is complete.
  const isCut = !isAtLineStart && split.lines.length === 0;
  const hasRest = split.rest.text !== '' && !isCut;
  const lines = hasRest ? [...complete, split.rest] : complete;
  const records = joinRecords(lines);
  const last = records.at(-1);
  const pendingFrom = last?.isOpen === true ? last.offset : hasRest ? split.rest.offset : end;
  const isTooLong = end - pendingFrom > MAX_PENDING || split.rest.text.length >= MAX_LINE;
  return { records, lines, offset: isTooLong ? end : pendingFrom };
}

/** What a look left to the next one lies right after the cursor, also where so much was added that the rest is passed over. */
function readWaiting(file: OpenFile, cursor: LogCursor, from: number): readonly LogLine[] {
  const length = Math.min(MAX_PENDING, from - cursor.offset);
  return length <= 0 ? [] : splitLogLines(readRange(file.fd, cursor.offset, length), cursor.offset).lines;
}

/** A log that was renamed away: what it gained after the cursor, found by its inode beside the new one. */
function readRotated(file: LogFile, cursor: LogCursor): readonly LogRecord[] {
  const directory = dirname(file.path);
  const base = file.path.slice(directory.length + 1);
  const names = namesIn(directory, ROTATED_ENTRIES).filter((name) => name !== base && name.startsWith(base));
  for (const name of names) {
    const opened = openRegular(join(directory, name), file.root);
    if (!opened.ok) continue;
    try {
      if (opened.stat.ino !== cursor.ino || opened.stat.dev !== cursor.dev) continue;
      const unread = unreadOf(opened, cursor);
      if (unread.kind !== 'appended') return [];
      const bytes = readRange(opened.fd, unread.from, opened.stat.size - unread.from);
      return judgeable(bytes, unread.from, unread.isAtLineStart).records;
    } finally {
      closeSync(opened.fd);
    }
  }
  return [];
}

/** The last lines; more of the file is read only when its lines are long. */
function readTail(file: OpenFile, count: number): readonly string[] {
  if (count <= 0) return [];
  for (const limit of [TAIL_FIRST, TAIL_MOST]) {
    const from = Math.max(0, file.stat.size - limit);
    const { lines, rest } = splitLogLines(readRange(file.fd, from, file.stat.size - from), from);
    const all = rest.text === '' ? lines : [...lines, rest];
    const whole = from === 0 ? all : all.slice(1);
    if (whole.length >= count || from === 0 || limit === TAIL_MOST)
      return whole.slice(-count).map((line) => line.text);
  }
  return [];
}
