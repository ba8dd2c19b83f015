import { breathe } from '../../../sources/tools/breathe.js';
import { readRange } from '../../../sources/tools/read-file.js';
import { hasStamp, LineClock, LOOK_BACK, TAIL_LINES } from './line-times.js';

export interface LogMatch {
  /** From 1; negative counts from the end (-1 is the last line) when only the tail of the file was read. */
  readonly line: number;
  readonly tsUnix: number | null;
  readonly text: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export interface ScanRequest {
  readonly fd: number;
  readonly size: number;
  readonly mtimeUnix: number;
  /** Bytes that may be read; of a larger file its end. */
  readonly maxBytes: number;
  readonly pattern: RegExp;
  /** Newest matches kept. */
  readonly limit: number;
  readonly context: number;
  readonly sinceUnix: number | null;
  readonly untilUnix: number | null;
  readonly hostOffsetS: number;
  /** Time for this file, ms. */
  readonly maxMs: number;
  readonly signal: AbortSignal;
}

export interface ScanResult {
  /** Oldest first. */
  readonly matches: readonly LogMatch[];
  /** Those before them that were left out, as far as they were kept at all. */
  readonly older: readonly Pick<LogMatch, 'text' | 'tsUnix'>[];
  readonly bytes: number;
  /** Part of the file was not looked at, or matches were left out. */
  readonly truncated: boolean;
}

const BLOCK = 64 * 1024;
const MAX_CARRY = 1024 * 1024;
const MAX_LINE = 2000;
const BREATHE_EVERY = 64;
/** Matches kept until the times of a file are known, and counted. */
const MAX_COUNTED = 5000;

interface Raw {
  readonly index: number;
  readonly text: string;
  readonly stampLine: string | null;
  readonly before: readonly string[];
  readonly after: string[];
}

/**
 * Searches the last `maxBytes` of a log in blocks, with memory for the matches alone. Lines are counted from the start when
 * the whole file was read, else from its end.
 */
export async function scanLog(request: ScanRequest): Promise<ScanResult> {
  const { fd, size, maxBytes, pattern, context, signal, sinceUnix, untilUnix } = request;
  // Lines are told apart by their time only at the end, when the file's zone is known.
  const limit = Math.max(request.limit, MAX_COUNTED);
  const start = Math.max(0, size - maxBytes);
  const end = performance.now() + request.maxMs;
  const matches: Raw[] = [];
  let dropped = false;
  let count = 0;
  let recent: string[] = [];
  let lastStamped: string | null = null;
  let position = start;
  let carry: Buffer = Buffer.alloc(0);
  let isFirst = start > 0;
  let isInLongLine = false;
  const afterLongLine = (bytes: Buffer): Buffer => {
    if (!isInLongLine) return bytes;
    const end = bytes.indexOf(10);
    if (end < 0) return Buffer.alloc(0);
    isInLongLine = false;
    return bytes.subarray(end + 1);
  };

  for (let block = 1; position < size; block += 1) {
    if (block % BREATHE_EVERY === 0) await breathe(signal);
    if (performance.now() > end) {
      dropped = true;
      break;
    }
    const bytes = readRange(fd, position, Math.min(BLOCK, size - position));
    if (bytes.length === 0) break;
    position += bytes.length;
    const joined: Buffer = afterLongLine(carry.length === 0 ? bytes : Buffer.concat([carry, bytes]));
    const isLast = position >= size;
    const cut = isLast ? joined.length : joined.lastIndexOf(10) + 1;
    if (cut === 0 && joined.length < MAX_CARRY) {
      carry = joined;
      continue;
    }
    // Of a line without an end only the head is looked at; the rest is skipped until it ends.
    isInLongLine = cut === 0;
    const whole = isInLongLine ? joined : joined.subarray(0, cut);
    carry = isInLongLine ? Buffer.alloc(0) : joined.subarray(cut);
    const text = whole.toString('utf8');
    const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
    if (isFirst) {
      // The first line of a tail is rarely whole.
      lines.shift();
      isFirst = false;
    }
    const isPending = matches.slice(-limit).some(({ after }) => after.length < context);
    const hasMatch = pattern.test(text);
    if (hasMatch || isPending) {
      for (const [offset, full] of lines.entries()) {
        const line = full.length > MAX_LINE ? full.slice(0, MAX_LINE) : full;
        for (const match of matches.slice(-context || matches.length)) {
          if (match.after.length < context && match.index + match.after.length + 1 === count + offset)
            match.after.push(line);
        }
        if (!hasMatch || !pattern.test(line)) continue;
        matches.push({
          index: count + offset,
          text: line,
          stampLine: stampFor(lines, offset, recent),
          before: contextBefore(lines, offset, recent, context),
          after: [],
        });
        if (matches.length > limit) {
          matches.shift();
          dropped = true;
        }
      }
    }
    lastStamped = lines.findLast(hasStamp) ?? lastStamped;
    count += lines.length;
    recent = [...recent, ...lines].slice(-LOOK_BACK);
  }
  const isPartial = start > 0 || position < size;
  const clock = new LineClock(request.mtimeUnix, request.hostOffsetS, lastStamped);
  const timed = matches.map((raw): LogMatch => {
    const own = raw.stampLine === null ? null : clock.timeOf(raw.stampLine);
    const isTail = position >= size && count - raw.index <= TAIL_LINES;
    return {
      line: isPartial ? raw.index - count : raw.index + 1,
      tsUnix: own ?? (isTail ? request.mtimeUnix : null),
      text: raw.text,
      before: raw.before,
      after: raw.after,
    };
  });
  const isInside = ({ tsUnix }: LogMatch): boolean =>
    tsUnix === null || (tsUnix >= (sinceUnix ?? tsUnix) && tsUnix <= (untilUnix ?? tsUnix));
  const inside = timed.filter(isInside);
  const from = Math.max(0, inside.length - request.limit);
  return {
    matches: inside.slice(from),
    older: inside.slice(0, from),
    bytes: position - start,
    truncated: isPartial || dropped || from > 0,
  };
}

/** The line itself or the nearest one before it that has a stamp. */
function stampFor(lines: readonly string[], offset: number, recent: readonly string[]): string | null {
  for (let back = 0; back <= LOOK_BACK; back += 1) {
    const at = offset - back;
    const line = at >= 0 ? lines[at] : recent.at(at);
    if (line === undefined) return null;
    if (hasStamp(line)) return line;
  }
  return null;
}

function contextBefore(
  lines: readonly string[],
  offset: number,
  recent: readonly string[],
  count: number,
): string[] {
  if (count === 0) return [];
  const own = lines.slice(Math.max(0, offset - count), offset);
  const missing = count - own.length;
  return (missing > 0 ? [...recent.slice(-missing), ...own] : own).map((line) => line.slice(0, MAX_LINE));
}
