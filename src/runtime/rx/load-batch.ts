import { resolve } from 'node:path';
import { Option } from 'commander';
import { MAX_EVENTS } from '../../rx/trace/batch-builder.js';
import { type LoadedTraces, loadTraces, type TraceFormat, TracePathError } from '../../rx/trace/load.js';
import { TraceLimitError } from '../../rx/trace/trace-error.js';
import type { CommandIo } from '../shared/command.js';
import type { Progress } from '../shared/progress.js';
import { UserError } from '../shared/user-error.js';

/** Options of every command that reads traces. */
export interface TraceInputOptions {
  readonly format?: TraceFormat;
  readonly maxEvents: number;
}

/** `--format`: how trace files are read. */
export function formatOption(): Option {
  return new Option('--format <kind>', 'how to read the files; else by extension').choices([
    'ndjson',
    'otel',
  ]);
}

/** Default of `--max-events`. */
export const DEFAULT_MAX_EVENTS = MAX_EVENTS;

/**
 * Loads one batch of traces for a command.
 *
 * @throws UserError `RA_RX_INPUT` for a missing path, `RA_RX_LIMIT` beyond the event cap, `RA_RX_NO_EVENTS` for an empty batch
 */
export async function loadBatch(
  paths: readonly string[],
  options: TraceInputOptions,
  io: CommandIo,
  progress: Progress,
): Promise<LoadedTraces> {
  const loaded = await load(paths, options, io, progress);
  if (loaded.table.size > 0) return loaded;
  const problems = loaded.problems.total === 0 ? '' : `, ${loaded.problems.total} lines could not be read`;
  throw new UserError({
    code: 'RA_RX_NO_EVENTS',
    happened: `no events in ${paths.join(', ')} (${loaded.files.length} files${problems})`,
    expected: 'NDJSON traces or OTLP JSON',
    todo: firstProblem(loaded) ?? 'check the paths; a directory means its direct .ndjson and .jsonl files',
  });
}

async function load(
  paths: readonly string[],
  options: TraceInputOptions,
  io: CommandIo,
  progress: Progress,
): Promise<LoadedTraces> {
  try {
    return await loadTraces(
      paths.map((path) => resolve(io.cwd, path)),
      {
        max_events: options.maxEvents,
        ...(options.format === undefined ? {} : { format: options.format }),
        onProgress: ({ files_done: done, files_total: total, events }) =>
          progress.update(`reading file ${done + 1} of ${total}: ${events} events`),
      },
    );
  } catch (error) {
    if (error instanceof TracePathError)
      throw new UserError({ code: 'RA_RX_INPUT', happened: error.message });
    if (!(error instanceof TraceLimitError)) throw error;
    throw new UserError({
      code: 'RA_RX_LIMIT',
      happened: `the traces hold ${error.message}`,
      todo: 'analyse fewer files at once, or raise --max-events',
    });
  }
}

function firstProblem({ problems }: LoadedTraces): string | null {
  const [first] = problems.listed;
  if (first === undefined) return null;
  const place = first.line === null ? first.file : `${first.file}:${first.line}`;
  return `first problem: ${place}: ${first.field === '' ? '' : `${first.field}: `}${first.reason}`;
}
