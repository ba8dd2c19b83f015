import type { LogLine } from './records.js';

/** UTF-16 units of one line that are kept. */
export const MAX_LINE = 4000;

const LF = 0x0a;
const CR = 0x0d;

export interface SplitLines {
  /** Complete lines, empty ones included. */
  readonly lines: readonly LogLine[];
  /** What follows the last line end; empty text when nothing does. */
  readonly rest: LogLine;
}

/**
 * Splits the bytes of a log at LF, CRLF and lone CR (progress bars use CR), decoded lossily (spec 02 §9). Lines are cut at
 * 4000 characters.
 *
 * @param base position of the first byte in the file
 */
export function splitLogLines(bytes: Buffer, base: number): SplitLines {
  const lines: LogLine[] = [];
  let start = 0;
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i];
    if (byte !== LF && byte !== CR) continue;
    lines.push({ text: decode(bytes, start, i), offset: base + start });
    if (byte === CR && bytes[i + 1] === LF) i += 1;
    start = i + 1;
  }
  return { lines, rest: { text: decode(bytes, start, bytes.length), offset: base + start } };
}

function decode(bytes: Buffer, start: number, end: number): string {
  // A character has at most four bytes, so what is beyond cannot be part of the kept text.
  return bytes.toString('utf8', start, Math.min(end, start + MAX_LINE * 4)).slice(0, MAX_LINE);
}
