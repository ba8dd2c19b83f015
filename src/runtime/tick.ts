import { resolve } from 'node:path';
import { pickFields } from '../foreign/config-field.js';
import { redactorFor } from '../foreign/redact.js';
import type { WriteFailure } from '../foreign/write-file.js';
import { describeProblem } from '../reactor/config/layers.js';
import { reactorFields } from '../reactor/config/own-fields.js';
import { performTick } from '../reactor/perform-tick.js';
import { requestContext } from '../reactor/request/request-context.js';
import { writeWorkdirNotes } from '../reactor/workdir-notes.js';
import type { RunCommand } from './shared/command.js';
import { EXIT_FAILURE, EXIT_OK } from './shared/exit-codes.js';
import { loadConfig } from './shared/load-config.js';
import { createLogger, type Logger } from './shared/logger.js';
import { appendRecording } from './shared/recording.js';
import { rootCause } from './shared/root-cause.js';
import { ownPath, requestSessionDir } from './shared/session-dir.js';
import { writeAll } from './shared/streams.js';
import { UserError } from './shared/user-error.js';
import { VERSION } from './shared/version.js';
import { TICK_USAGE, type TickArguments, tickArguments } from './tick/arguments.js';
import { deliveryTo, dropStaleAnswer } from './tick/deliver.js';
import { readTickRequest } from './tick/read-request.js';

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

async function tick(args: TickArguments, io: Parameters<RunCommand>[1]): Promise<WriteFailure | undefined> {
  dropStaleAnswer(args.out);
  const request = await readTickRequest(args.request, io);
  const sessionDir = ownPath(requestSessionDir(request.options['session_dir'], io.env, io.cwd));
  io.env['ROBUSTNESS_AGENT_SESSION_DIR'] ??= sessionDir;
  const { config, problems } = loadConfig({
    configFlag: args.config,
    env: io.env,
    cwd: io.cwd,
    sessionDir,
    options: request.options,
  });
  const logger = createLogger(args.level);
  const nowUnix = request.nowUnix ?? Date.now() / 1000;
  const deadlineMs = pickFields(reactorFields, config).tick_deadline_s * 1000;
  const cause = rootCause(config, io.env, logger);
  const report = await performTick({
    sessionDir,
    sessionId: request.sessionId,
    config,
    env: io.env,
    nowUnix,
    promptDriven: true,
    origin: 'tick',
    // The clock of `performance` starts with the process.
    remainingMs: () => deadlineMs - performance.now(),
    log: (level, message, fields) => logger[level](message, fields),
    configWarnings: [...problems.map(describeProblem), ...cause.warnings],
    ...(cause.explain && { explain: cause.explain }),
    prepare: ({ slots }) => {
      // Said once per session: data leaves the machine, and how to stop that (spec 01 §12 C10).
      if (cause.explain && Object.keys(slots).length === 0)
        logger.warn('root-cause texts are on', { note: cause.line });
      const { context, warnings } = requestContext(request, sessionDir, nowUnix);
      return { context, promptWarnings: warnings };
    },
    deliver: deliveryTo(args.out, io).deliver,
    writer: `robustness-agent ${VERSION}`,
  });
  if (report.delivered !== undefined) return report.delivered;
  if (args.out !== '-') noteTrouble(logger, 'notes', writeWorkdirNotes(args.out, report.findings, nowUnix));
  if (args.record !== undefined) {
    const recorded = {
      request,
      sessionDir,
      nowUnix,
      config,
      snapshot: report.snapshot,
      slots: report.slotsBefore,
    };
    noteTrouble(
      logger,
      'recording',
      appendRecording(resolve(io.cwd, args.record), recorded, redactorFor(io.env)),
    );
  }
  return undefined;
}

function noteTrouble(logger: Logger, what: string, failure: WriteFailure | undefined): void {
  if (failure !== undefined)
    logger.warn(`${what} could not be written`, { code: failure.code, reason: failure.message });
}
