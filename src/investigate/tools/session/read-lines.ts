import { readRange } from '../../../sources/tools/read-file.js';

export interface NumberedLine {
  readonly line: number;
  readonly text: string;
}

export interface LinesRead {
  readonly lines: readonly NumberedLine[];
  /** Null when not the whole file was read. */
  readonly total: number | null;
}

const BLOCK = 64 * 1024;
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_LINE = 2000;

/**
 * Lines `from…to` of an open file. Positive numbers count from its start, negative ones from its end (-1 is the last line);
 * at most 64 MiB are read.
 */
export function readLines(
  { fd, size }: { readonly fd: number; readonly size: number },
  from: number,
  to: number,
  isFromEnd: boolean,
): LinesRead {
  return isFromEnd ? fromEnd(fd, size, from, Math.min(-1, to)) : fromStart(fd, size, Math.max(1, from), to);
}

function fromStart(fd: number, size: number, from: number, to: number): LinesRead {
  const lines: NumberedLine[] = [];
  let number = 1;
  let carry: Buffer = Buffer.alloc(0);
  let position = 0;
  for (; position < Math.min(size, MAX_BYTES) && number <= to; ) {
    const bytes = readRange(fd, position, Math.min(BLOCK, size - position));
    if (bytes.length === 0) break;
    position += bytes.length;
    let at = 0;
    for (let end = bytes.indexOf(10, at); end >= 0 && number <= to; end = bytes.indexOf(10, at)) {
      if (number >= from)
        lines.push({ line: number, text: textOf(Buffer.concat([carry, bytes.subarray(at, end)])) });
      carry = Buffer.alloc(0);
      number += 1;
      at = end + 1;
    }
    if (number < from) carry = Buffer.alloc(0);
    else if (carry.length < MAX_LINE * 4) carry = Buffer.concat([carry, bytes.subarray(at)]);
  }
  const isWhole = position >= size && number <= to;
  if (isWhole && carry.length > 0 && number >= from) lines.push({ line: number, text: textOf(carry) });
  return { lines, total: isWhole ? (carry.length > 0 ? number : number - 1) : null };
}

function fromEnd(fd: number, size: number, from: number, to: number): LinesRead {
  const blocks: Buffer[] = [];
  let start = size;
  let newlines = 0;
  while (start > 0 && size - start < MAX_BYTES && newlines <= -from) {
    const length = Math.min(BLOCK, start);
    start -= length;
    const block = readRange(fd, start, length);
    for (const byte of block) if (byte === 10) newlines += 1;
    blocks.unshift(block);
  }
  const text = Buffer.concat(blocks).toString('utf8');
  const all = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  // The first line of a tail is rarely whole.
  if (start > 0) all.shift();
  const lines = all
    .map((line, index) => ({ line: index - all.length, text: line.slice(0, MAX_LINE) }))
    .filter(({ line }) => line >= from && line <= to);
  return { lines, total: start === 0 ? all.length : null };
}

function textOf(bytes: Buffer): string {
  return bytes.toString('utf8', 0, Math.min(bytes.length, MAX_LINE * 4)).slice(0, MAX_LINE);
}
