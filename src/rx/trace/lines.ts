import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';

/** One line of a file: its text, or why it cannot be read. Numbers start at 1. */
export type Line =
  | { readonly number: number; readonly text: string }
  | { readonly number: number; readonly reason: string };

export interface LineOptions {
  /** Bytes; a longer line is reported and skipped, whatever its length, without being held in memory. */
  readonly max_line_bytes: number;
  /** Called with the bytes read so far, once per chunk. */
  readonly onBytes?: (bytes: number) => void;
}

/** Longest trace line that is read (spec 06 A.1 Product). */
export const MAX_LINE_BYTES = 1024 * 1024;

const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Streams the lines of a file in batches, one batch per chunk read. A byte-order mark at the start is dropped; invalid
 * UTF-8 and over-long lines are errors of their line. Rejects when the file cannot be read.
 */
export async function* readLines(path: string, options: LineOptions): AsyncGenerator<Line[]> {
  const splitter = new LineSplitter(options.max_line_bytes);
  let bytes = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    options.onBytes?.(bytes);
    yield splitter.push(chunk);
  }
  yield splitter.end();
}

/** Cuts a stream of bytes into lines; holds at most one line. */
class LineSplitter {
  private rest: Buffer[] = [];
  private restBytes = 0;
  private number = 0;

  constructor(private readonly maxBytes: number) {}

  push(chunk: Buffer): Line[] {
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.keep(chunk.subarray(start, end));
      lines.push(this.take());
      start = end + 1;
    }
    this.keep(chunk.subarray(start));
    return lines;
  }

  end(): Line[] {
    return this.restBytes === 0 ? [] : [this.take()];
  }

  private keep(part: Buffer): void {
    this.restBytes += part.length;
    if (this.restBytes <= this.maxBytes) this.rest.push(part);
    else this.rest = [];
  }

  private take(): Line {
    const [first] = this.rest;
    const whole = this.rest.length === 1 && first !== undefined ? first : Buffer.concat(this.rest);
    const tooLong = this.restBytes > this.maxBytes;
    this.rest = [];
    this.restBytes = 0;
    this.number += 1;
    const { number } = this;
    if (tooLong) return { number, reason: `longer than ${this.maxBytes} bytes` };
    const marked = number === 1 && whole.subarray(0, 3).equals(BYTE_ORDER_MARK);
    const bytes = marked ? whole.subarray(3) : whole;
    return isUtf8(bytes) ? { number, text: bytes.toString('utf8') } : { number, reason: 'invalid UTF-8' };
  }
}
