import { setTimeout as delay } from 'node:timers/promises';
import { pickFields } from '../foreign/config-field.js';
import { reactorFields } from '../reactor/config/own-fields.js';
import { type LoopSetup, standaloneTick } from './run/loop.js';
import { tickLines } from './run/tick-line.js';
import type { CommandIo, RunCommand } from './shared/command.js';
import { EXIT_OK } from './shared/exit-codes.js';
import { loadStrictConfig } from './shared/load-config.js';
import { createLogger, LOG_LEVELS, type LogLevel, logLevel } from './shared/logger.js';
import { createProgram, runProgram, setExitCode } from './shared/program.js';
import { ownPath } from './shared/session-dir.js';
import { existingSessionDir } from './shared/session-option.js';
import { writeAll } from './shared/streams.js';

interface RunOptions {
  readonly sessionDir?: string;
  readonly config?: string;
  readonly interval?: string;
  readonly ticks?: string;
  readonly logLevel?: string;
}

const HELP = `
Watches a session whose Coordinator does not call this agent, or watches beside
it between two of its turns. Findings go to the session's findings file; nobody
is sent intents. Prints a line for every tick that changed something. Ends on
SIGINT or SIGTERM after the current step.

Examples:
  robustness-agent run --session-dir DIR
  robustness-agent --session-dir DIR          (the same)
  robustness-agent run --session-dir DIR --ticks 1
`;

/** `run`, also without a sub-command: the standalone loop (spec 01 §1.11). */
export const run: RunCommand = (argv, io) => {
  const program = createProgram('run', 'Watches a session until it is interrupted.', io)
    .option('--session-dir <dir>', 'session directory (else SESSION_DIR)')
    .option('--config <file>', 'configuration file')
    .option('--interval <seconds>', 'pause between ticks (else standalone_tick_interval_s)')
    .option('--ticks <count>', 'end after so many ticks')
    .option('--log-level <level>', LOG_LEVELS.join(', '))
    .addHelpText('after', HELP);
  program.action(async (options: RunOptions) => setExitCode(program, await loop(options, io)));
  return runProgram(program, argv, io);
};

async function loop(options: RunOptions, io: CommandIo): Promise<number> {
  const sessionDir = ownPath(existingSessionDir(options.sessionDir, io));
  const { config, selfedit } = loadStrictConfig({
    configFlag: options.config,
    env: io.env,
    cwd: io.cwd,
    sessionDir,
    flags: options.interval === undefined ? {} : { standalone_tick_interval_s: options.interval },
  });
  const level: LogLevel = logLevel(options.logLevel ?? io.env['ROBUSTNESS_LOG_LEVEL']) ?? 'warn';
  const logger = createLogger(level);
  const setup: LoopSetup = { sessionDir, config, env: io.env, cwd: io.cwd, selfedit, logger };
  const intervalMs = pickFields(reactorFields, config).standalone_tick_interval_s * 1000;
  const colour = io.stdout.isTTY === true && (io.env['NO_COLOR'] ?? '') === '';
  const last = options.ticks === undefined ? Number.POSITIVE_INFINITY : Number(options.ticks);
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  try {
    for (let count = 1; !stop.signal.aborted; count += 1) {
      await oneTick(setup, colour, io);
      if (count >= last) break;
      await delay(intervalMs, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
  return EXIT_OK;
}

/** One tick; whatever it meets, the loop goes on. */
async function oneTick(setup: LoopSetup, colour: boolean, io: CommandIo): Promise<void> {
  try {
    const report = await standaloneTick(setup);
    for (const line of tickLines(report, colour)) await writeAll(io.stdout, `${line}\n`);
  } catch (error) {
    setup.logger.error('the tick failed', {
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
  }
}
