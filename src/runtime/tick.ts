import { resolve } from 'node:path';
import { pickFields } from '../foreign/config-field.js';
import { redactorFor } from '../foreign/redact.js';
import type { WriteFailure } from '../foreign/write-file.js';
import { reactorFields } from '../reactor/config/own-fields.js';
import { spoolFields } from '../reactor/config/spool-fields.js';
import { writeWorkdirNotes } from '../reactor/workdir-notes.js';
import { monotonicMs } from '../sources/tools/clock.js';
import type { CommandIo, RunCommand } from './shared/command.js';
import { EXIT_FAILURE, EXIT_OK } from './shared/exit-codes.js';
import { createLogger, type Logger } from './shared/logger.js';
import { appendRecording, type RecordedTick } from './shared/recording.js';
import { writeAll } from './shared/streams.js';
import { UserError } from './shared/user-error.js';
import { answerRequest } from './tick/answer-request.js';
import { TICK_USAGE, type TickArguments, tickArguments } from './tick/arguments.js';
import { deliveryTo, dropStaleAnswer } from './tick/deliver.js';
import { readTickRequest } from './tick/read-request.js';
import { runAndExit as runAndExitOf } from './tick/run-and-exit.js';
import { Timing } from './tick/timing.js';

/** Kept free before the tick's deadline, and the least that is worth a begin, ms. */
const INLINE_RESERVE_MS = 1000;
const INLINE_MINIMUM_MS = 300;

/** `tick`: one turn of the Coordinator (spec 01 §1). */
export const run: RunCommand = async (argv, io) => {
  try {
    const args = tickArguments(argv, io.env);
    if (args === 'help') {
      await writeAll(io.stdout, TICK_USAGE);
      return EXIT_OK;
    }
    const failure = await tick(args, io);
    if (failure === undefined) return EXIT_OK;
    throw new UserError({
      code: 'RA_EMIT_WRITE',
      happened: `the answer could not be written to ${args.out}: ${failure.message}`,
      expected: 'a writable file in an existing directory',
      todo: 'nothing of this tick was recorded, so the next one says it again',
    });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const usage = error.code === 'RA_USAGE' ? `${TICK_USAGE}` : '';
    await writeAll(io.stderr, `${error.line}\n${usage}`);
    return EXIT_FAILURE;
  }
};

/** What the start of the process calls. */
export const runAndExit = runAndExitOf(run);

async function tick(args: TickArguments, io: CommandIo): Promise<WriteFailure | undefined> {
  const timing = args.traceTiming ? new Timing() : undefined;
  timing?.mark('start of Node', io.enteredMs);
  timing?.mark('modules');
  dropStaleAnswer(args.out);
  const request = await readTickRequest(args.request, io);
  timing?.mark('request');
  const logger = createLogger(args.level);
  const { report, recorded } = await answerRequest({
    request,
    config: args.config,
    env: io.env,
    cwd: io.cwd,
    logger,
    // The host counts from the start of the process.
    startedMs: 0,
    deliver: deliveryTo(args.out, io).deliver,
    ...(timing && { mark: (phase) => timing.mark(phase) }),
  });
  if (report.delivered !== undefined) return report.delivered;
  if (args.out !== '-')
    noteTrouble(logger, 'notes', writeWorkdirNotes(args.out, report.findings, recorded.nowUnix));
  if (args.record !== undefined) {
    const path = resolve(io.cwd, args.record);
    noteTrouble(logger, 'recording', appendRecording(path, recorded, redactorFor(io.env)));
  }
  timing?.mark('notes');
  await investigateIfWanted(report.jobs, recorded, args, io, logger);
  if (timing) await writeAll(io.stderr, timing.table(report.snapshot.collectors));
  return undefined;
}

/** The answer is out; what is left of the tick's time may go to its own findings, where the settings say so (spec 07 B1). */
async function investigateIfWanted(
  jobs: readonly string[],
  { config, sessionDir, request }: RecordedTick,
  args: TickArguments,
  { env, cwd }: CommandIo,
  logger: Logger,
): Promise<void> {
  const { investigate_mode: mode, investigate_inline_budget_s: budgetS } = pickFields(spoolFields, config);
  if (mode !== 'inline' || jobs.length === 0) return;
  const { tick_deadline_s: deadlineS } = pickFields(reactorFields, config);
  const limitMs = Math.min(budgetS * 1000, deadlineS * 1000 - INLINE_RESERVE_MS - monotonicMs());
  if (limitMs < INLINE_MINIMUM_MS) return;
  const { investigateInline } = await import('./tick/investigate-inline.js');
  const { options } = request;
  await investigateInline({ jobs, sessionDir, limitMs, env, cwd, configFlag: args.config, options, logger });
}

function noteTrouble(logger: Logger, what: string, failure: WriteFailure | undefined): void {
  if (failure !== undefined)
    logger.warn(`${what} could not be written`, { code: failure.code, reason: failure.message });
}
