/** A line of a log with the position of its first byte. */
export interface LogLine {
  readonly text: string;
  /** Bytes from the start of the file. */
  readonly offset: number;
}

/** What belongs together: one line, or a trace that several lines make up. */
export interface LogRecord {
  readonly offset: number;
  /** The lines that say something; the frames of a trace do not. */
  readonly lines: readonly LogLine[];
  /** A trace whose end has not been written yet. */
  readonly isOpen: boolean;
}

const TRACE_START = /Traceback \(most recent call last\):\s*$/;
const CHAINED = /^(?:During handling of the above exception|The above exception was the direct cause)/;
/** What log frameworks put before each line: process, level, time, source. */
const PREFIX =
  /^(?:\s{0,2}(?:\([^)]{1,80}\)|\[[^\]]{1,120}\]|(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)\b|\d{1,4}-\d{1,2}(?:-\d{1,2})?|\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?))+ ?/;
const KERNEL_STAMP = /^(?:<\d{1,3}>)?\[\s*\d+\.\d{3,6}\]/;
/** Lines of one trace; a longer one ends here. */
const MAX_LINES = 2000;

/**
 * Joins the lines of Python traces, chained ones included, and of kernel messages that are wrapped, so that one failure is
 * judged once. Of a trace only the exceptions are kept: its frames quote source code, which says nothing about what happened.
 */
export function joinRecords(lines: readonly LogLine[]): LogRecord[] {
  const records: LogRecord[] = [];
  for (let i = 0; i < lines.length; ) {
    const line = lines[i];
    if (line === undefined) break;
    const trace = TRACE_START.test(line.text) ? readTrace(lines, i) : undefined;
    const found = trace ?? readWrapped(lines, i);
    records.push(found.record);
    i = found.next;
  }
  return records;
}

interface Found {
  readonly record: LogRecord;
  readonly next: number;
}

function readTrace(lines: readonly LogLine[], start: number): Found {
  const offset = lines[start]?.offset ?? 0;
  const kept: LogLine[] = [];
  let i = start + 1;
  const end = Math.min(lines.length, start + MAX_LINES);
  let isInFrames = true;
  for (; i < end; i += 1) {
    const line = lines[i];
    if (line === undefined) break;
    const text = bare(line.text);
    if (isInFrames) {
      if (text === '' || /^\s/.test(text)) continue;
      kept.push(line);
      isInFrames = false;
      continue;
    }
    if (TRACE_START.test(line.text)) {
      isInFrames = true;
      continue;
    }
    const chained = text === '' ? chainedFrom(lines, i, end) : CHAINED.test(text) ? i : -1;
    if (chained === -1) break;
    i = chained;
  }
  return { record: { offset, lines: kept, isOpen: isInFrames && i >= lines.length }, next: i };
}

/** Index of the line that announces another exception after blank ones, -1 when the trace is over. */
function chainedFrom(lines: readonly LogLine[], from: number, end: number): number {
  for (let i = from; i < end && i < from + 4; i += 1) {
    const text = bare(lines[i]?.text ?? '');
    if (text === '') continue;
    if (CHAINED.test(text)) return i;
    return TRACE_START.test(text) ? i - 1 : -1;
  }
  return -1;
}

/** A line of the kernel and those that continue it: same kind of stamp, text set in. */
function readWrapped(lines: readonly LogLine[], start: number): Found {
  const first = lines[start] ?? { text: '', offset: 0 };
  if (!KERNEL_STAMP.test(first.text)) {
    return { record: { offset: first.offset, lines: [first], isOpen: false }, next: start + 1 };
  }
  let text = first.text;
  let next = start + 1;
  for (; next < lines.length && next < start + 8; next += 1) {
    const following = lines[next]?.text ?? '';
    const stamp = KERNEL_STAMP.exec(following)?.[0];
    const body = stamp === undefined ? '' : following.slice(stamp.length);
    if (!/^\s{2,}\S/.test(body)) break;
    text += ` ${body.trim()}`;
  }
  return { record: { offset: first.offset, lines: [{ text, offset: first.offset }], isOpen: false }, next };
}

function bare(text: string): string {
  return text.replace(PREFIX, '');
}
