import { resolve } from 'node:path';
import { serveTicks } from './serve/socket-server.js';
import { WarmTicks } from './serve/warm-tick.js';
import type { CommandIo, RunCommand } from './shared/command.js';
import { EXIT_OK } from './shared/exit-codes.js';
import { createLogger, LOG_LEVELS, logLevel } from './shared/logger.js';
import { createProgram, runProgram, setExitCode } from './shared/program.js';
import { writeAll } from './shared/streams.js';

interface ServeOptions {
  readonly socket: string;
  readonly config?: string;
  readonly logLevel?: string;
}

const HELP = `
For hosts that can afford a process that stays: answers POST /tick on a Unix
socket, with the body that \`tick --request\` reads and the answer that
\`tick --out\` writes. The decisions are those of \`tick\`, and both may take
turns on a session. Only the owner of the socket may connect. Ends on SIGINT or
SIGTERM after the ticks at work.

Examples:
  robustness-agent serve --socket /run/user/1000/robustness.sock
  curl --unix-socket PATH -d @request.json http://localhost/tick
`;

/** `serve --socket PATH`: ticks without the start of a process. */
export const run: RunCommand = (argv, io) => {
  const program = createProgram('serve', 'Answers ticks on a socket until it is ended.', io)
    .requiredOption('--socket <path>', 'Unix socket to listen on')
    .option('--config <file>', 'configuration file')
    .option('--log-level <level>', LOG_LEVELS.join(', '))
    .addHelpText('after', HELP);
  program.action(async (options: ServeOptions) => setExitCode(program, await serve(options, io)));
  return runProgram(program, argv, io);
};

async function serve(options: ServeOptions, io: CommandIo): Promise<number> {
  const logger = createLogger(logLevel(options.logLevel ?? io.env['ROBUSTNESS_LOG_LEVEL']) ?? 'warn');
  const ticks = new WarmTicks({ config: options.config, env: io.env, cwd: io.cwd, logger });
  const path = resolve(io.cwd, options.socket);
  const ended = signalled();
  const server = await serveTicks(path, ticks, logger);
  await writeAll(io.stdout, `answering POST /tick on ${path}\n`);
  await ended;
  await server.close();
  return EXIT_OK;
}

function signalled(): Promise<void> {
  return new Promise((resolved) => {
    const end = () => resolved();
    process.once('SIGINT', end).once('SIGTERM', end);
  });
}
