import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { ensureDirectory } from '../../foreign/write-file.js';
import type { SimulatorStreams } from '../../rx/simulator/draws.js';
import { DEFAULT_CONFIG, DEFAULT_PLAN, simulate } from '../../rx/simulator/simulate.js';
import { MAX_EVENTS } from '../../rx/trace/batch-builder.js';
import { isFailure, type TraceEvent } from '../../rx/trace/event.js';
import { formatTraceEvent } from '../../rx/trace/format-event.js';
import type { CommandIo, RunCommand } from '../shared/command.js';
import { createProgram, runProgram } from '../shared/program.js';
import { Progress } from '../shared/progress.js';
import { writeAll } from '../shared/streams.js';
import { UserError } from '../shared/user-error.js';
import { streamsOption, wholeNumber } from './options.js';

interface TraceOptions {
  readonly output: string;
  readonly runs: number;
  readonly turns: number;
  readonly seed: number;
  readonly streams?: SimulatorStreams;
  readonly json?: boolean;
}

/** What was written. */
interface Written {
  readonly output: string;
  readonly events: number;
  readonly failures: number;
  readonly bytes: number;
  readonly sha256: string;
}

const AGENTS = 3;
const NOTES = `
With --streams reference the file is the original's, byte for byte.
Exit codes: 0 done; 2 usage, or the file cannot be written.
`;

/** `rx trace`: writes a trace of the simulator in its broken default configuration. */
export const run: RunCommand = (argv, io) => {
  const program = createProgram('rx trace', 'Writes a trace of the bundled simulator as NDJSON.', io);
  program
    .requiredOption('--output <file>', 'file to write; its directories are created')
    .option('--runs <n>', 'runs', wholeNumber({ min: 0, max: 1_000_000 }), DEFAULT_PLAN.runs)
    .option('--turns <n>', 'turns per run', wholeNumber({ min: 0, max: 1_000_000 }), DEFAULT_PLAN.turns)
    .option('--seed <n>', 'seed of the first run', wholeNumber({ min: 0, max: 2 ** 50 }), DEFAULT_PLAN.seed)
    .addOption(streamsOption())
    .option('--json', 'what was written, as JSON')
    .addHelpText('after', NOTES)
    .action((options: TraceOptions) => act(options, io));
  return runProgram(program, argv, io);
};

async function act(options: TraceOptions, io: CommandIo): Promise<void> {
  const events = AGENTS * options.runs * options.turns;
  if (events > MAX_EVENTS) {
    throw new UserError({
      code: 'RA_USAGE',
      happened: `${options.runs} runs of ${options.turns} turns are ${events} events`,
      expected: `at most ${MAX_EVENTS}`,
    });
  }
  const written = await write(options, io);
  const text = options.json
    ? `${JSON.stringify(written, null, 2)}\n`
    : `${written.output}: ${written.events} events, ${written.failures} of them failed, ${written.bytes} bytes\n`;
  await writeAll(io.stdout, text);
}

async function write(options: TraceOptions, io: CommandIo): Promise<Written> {
  const path = resolve(io.cwd, options.output);
  const progress = new Progress(io);
  const hash = createHash('sha256');
  let events = 0;
  let failures = 0;
  let bytes = 0;
  try {
    ensureDirectory(dirname(path));
    const file = createWriteStream(path);
    // A failure of the stream is awaited with `finished`; without a listener it would end the process before.
    const done = finished(file);
    done.catch(() => undefined);
    for (let run = 0; run < options.runs && !file.destroyed; run++) {
      const played = playRun(run, options);
      const chunk = Buffer.from(played.map(formatTraceEvent).join(''));
      events += played.length;
      failures += played.filter(isFailure).length;
      bytes += chunk.length;
      hash.update(chunk);
      if (!file.write(chunk)) await Promise.race([once(file, 'drain'), done]);
      progress.update(`run ${run + 1} of ${options.runs}`);
    }
    file.end();
    await done;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UserError({ code: 'RA_OUTPUT', happened: `${options.output} cannot be written: ${reason}` });
  } finally {
    progress.done();
  }
  return { output: options.output, events, failures, bytes, sha256: hash.digest('hex') };
}

/** One run at a time, so that a long trace needs little memory; names as in one simulation of all runs. */
function playRun(run: number, options: TraceOptions): TraceEvent[] {
  const runId = `run${String(run).padStart(3, '0')}`;
  const plan = {
    runs: 1,
    turns: options.turns,
    seed: options.seed + run,
    streams: options.streams ?? 'independent',
  };
  return simulate(DEFAULT_CONFIG, plan).map((event) => ({
    ...event,
    run_id: runId,
    event_id: `${runId}-${event.turn}-${event.agent_id}`,
  }));
}
