import type { TraceEvent } from './event.js';
import type { Line } from './lines.js';

/** Takes the lines of one file, in order. */
export interface LineReader {
  readonly max_line_bytes: number;
  line(line: Line): void;
  end(): void;
}

/** Where a reader puts what it finds; `line` is the line number in the file. */
export interface LineSink {
  onEvent(event: TraceEvent): void;
  onProblem(line: number, field: string, reason: string): void;
}
