import { readdir, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { BatchBuilder } from './batch-builder.js';
import type { LineReader, LineSink } from './line-reader.js';
import { type Line, MAX_LINE_BYTES, readLines } from './lines.js';
import { MAX_DOCUMENT_BYTES, OtlpReader } from './otlp-reader.js';
import { parseTraceEvent } from './parse-event.js';
import { ProblemCollector, type ProblemList } from './trace-error.js';
import type { TraceTable } from './trace-table.js';

/** How a trace file is read; by default its extension decides (spec 06 D.2). */
export type TraceFormat = 'ndjson' | 'otel';

export interface LoadOptions {
  readonly format?: TraceFormat;
  /** 2,000,000 by default. */
  readonly max_events?: number;
  /** Called now and then while loading. */
  readonly onProgress?: (progress: LoadProgress) => void;
}

export interface LoadProgress {
  readonly file: string;
  readonly files_done: number;
  readonly files_total: number;
  readonly bytes: number;
  readonly events: number;
}

/** A loaded batch and what was wrong with it. */
export interface LoadedTraces {
  readonly table: TraceTable;
  readonly files: readonly string[];
  readonly problems: ProblemList;
  /** Events that replaced an earlier one with the same file, run and event id. */
  readonly replaced: number;
  /** Runs that several files recorded separately, by name. */
  readonly separated_runs: readonly string[];
}

/** One of the named paths does not exist or cannot be listed. */
export class TracePathError extends Error {
  constructor(
    readonly path: string,
    reason: string,
  ) {
    super(`cannot read ${path}: ${reason}`);
    this.name = 'TracePathError';
  }
}

/**
 * Loads trace files, and of directories their direct `.ndjson` and `.jsonl` files in order of path. Streams: memory
 * holds the table and one line. Malformed lines become problems; an unreadable file is one problem.
 *
 * @throws TracePathError for a path that does not exist
 * @throws TraceLimitError beyond the event cap
 */
export async function loadTraces(paths: readonly string[], options: LoadOptions = {}): Promise<LoadedTraces> {
  const files = (await Promise.all(paths.map(expandPath))).flat();
  const builder = new BatchBuilder(options.max_events);
  const problems = new ProblemCollector();
  let events = 0;
  for (const [filesDone, file] of files.entries()) {
    builder.startSource(file);
    const reader = readerFor(options.format ?? formatOf(file), {
      onEvent(event) {
        builder.add(event);
        events += 1;
      },
      onProblem: (line, field, reason) => problems.add({ file, line, field, reason }),
    });
    const report = (bytes: number) =>
      options.onProgress?.({ file, files_done: filesDone, files_total: files.length, bytes, events });
    await feed(file, reader, report).catch((error: unknown) => {
      if (!isSystemError(error)) throw error;
      problems.add({ file, line: null, field: '', reason: error.message });
    });
  }
  return {
    table: builder.finish(),
    files,
    problems: problems.result(),
    replaced: builder.replaced,
    separated_runs: [...builder.separated],
  };
}

async function feed(file: string, reader: LineReader, report: (bytes: number) => void): Promise<void> {
  const options = { max_line_bytes: reader.max_line_bytes, onBytes: report };
  for await (const lines of readLines(file, options)) for (const line of lines) reader.line(line);
  reader.end();
}

function readerFor(format: TraceFormat, sink: LineSink): LineReader {
  if (format === 'otel') return new OtlpReader(sink, MAX_DOCUMENT_BYTES);
  return { max_line_bytes: MAX_LINE_BYTES, line: (line) => readNdjsonLine(line, sink), end: () => {} };
}

function readNdjsonLine(line: Line, sink: LineSink): void {
  if ('reason' in line) {
    sink.onProblem(line.number, '', line.reason);
    return;
  }
  if (line.text.trim() === '') return;
  let row: unknown;
  try {
    row = JSON.parse(line.text);
  } catch {
    sink.onProblem(line.number, '', 'not valid JSON');
    return;
  }
  const parsed = parseTraceEvent(row);
  if (parsed.ok) sink.onEvent(parsed.value);
  else sink.onProblem(line.number, parsed.field, parsed.reason);
}

function formatOf(file: string): TraceFormat {
  return extname(file).toLowerCase() === '.json' ? 'otel' : 'ndjson';
}

async function expandPath(path: string): Promise<string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const names = await readdir(path);
    return names
      .filter((name) => /\.(ndjson|jsonl)$/.test(name))
      .sort()
      .map((name) => join(path, name));
  } catch (error) {
    throw new TracePathError(path, isSystemError(error) ? error.message : 'not readable');
  }
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && 'syscall' in error;
}
