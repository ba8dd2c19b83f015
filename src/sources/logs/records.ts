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
  const first = lines[start];
  const offset = first?.offset ?? 0;
  // What stands before the word on the same line says what was going on, such as "Scheduler hit an exception:".
  const lead = first === undefined ? '' : bare(first.text).replace(TRACE_START, '').trim();
  const kept: LogLine[] = first !== undefined && lead !== '' ? [first] : [];
  const end = Math.min(lines.length, start + MAX_LINES);
  let state: 'frames' | 'over' | 'announced' = 'frames';
  let next = start + 1;
  for (let i = start + 1; i < end; i += 1) {
    const line = lines[i];
    if (line === undefined) break;
    const text = bare(line.text);
    const isBlank = text.trim() === '';
    if (state === 'frames') {
      next = i + 1;
      if (isBlank || /^\s/.test(text)) continue;
      kept.push(line);
      state = 'over';
    } else if (CHAINED.test(text)) {
      state = 'announced';
    } else if (state === 'announced' && TRACE_START.test(text)) {
      state = 'frames';
      next = i + 1;
    } else if (!isBlank) break;
  }
  // An exception that is announced and not yet written belongs to this trace.
  const isOpen = state !== 'over' && end === lines.length;
  return { record: { offset, lines: kept, isOpen }, next: isOpen ? lines.length : next };
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
