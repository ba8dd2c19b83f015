import type { LineReader, LineSink } from './line-reader.js';
import type { Line } from './lines.js';
import { walkOtlp } from './otlp-document.js';

/** Largest JSON document that is read whole. */
export const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;

/**
 * Reads an OTLP JSON file: one document, or one export request per line as the collector's file exporter writes them.
 * The first line decides: when it is a document of its own, every line is.
 */
export class OtlpReader implements LineReader {
  private mode: 'unknown' | 'lines' | 'whole' = 'unknown';
  private parts: string[] = [];
  private bytes = 0;
  private firstLine = 1;

  constructor(
    private readonly sink: LineSink,
    readonly max_line_bytes: number,
  ) {}

  line(line: Line): void {
    if ('reason' in line) {
      this.sink.onProblem(line.number, '', line.reason);
      return;
    }
    if (this.mode === 'unknown') {
      if (line.text.trim() === '') return;
      this.mode = isJson(line.text) ? 'lines' : 'whole';
      this.firstLine = line.number;
    }
    if (this.mode === 'lines') this.document(line.text, line.number);
    else this.gather(line);
  }

  end(): void {
    if (this.mode !== 'whole') return;
    if (this.bytes > this.max_line_bytes) {
      this.sink.onProblem(this.firstLine, '', `document longer than ${this.max_line_bytes} bytes`);
      return;
    }
    this.document(this.parts.join('\n'), this.firstLine);
  }

  private gather(line: { readonly text: string }): void {
    this.bytes += Buffer.byteLength(line.text) + 1;
    if (this.bytes <= this.max_line_bytes) this.parts.push(line.text);
    else this.parts = [];
  }

  private document(text: string, line: number): void {
    if (text.trim() === '') return;
    let document: unknown;
    try {
      document = JSON.parse(text);
    } catch {
      this.sink.onProblem(line, '', 'not valid JSON');
      return;
    }
    walkOtlp(document, {
      onEvent: (event) => this.sink.onEvent(event),
      onProblem: (field, reason) => this.sink.onProblem(line, field, reason),
    });
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
