import { resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { ServeChatOptions } from './serve/serve-chat.js';
import { serveTicks } from './serve/socket-server.js';
import { WarmTicks } from './serve/warm-tick.js';
import type { CommandIo, RunCommand } from './shared/command.js';
import { EXIT_OK } from './shared/exit-codes.js';
import { createLogger, LOG_LEVELS, type Logger, logLevel } from './shared/logger.js';
import { createProgram, runProgram, setExitCode } from './shared/program.js';
import { writeAll } from './shared/streams.js';

interface ServeOptions extends ServeChatOptions {
  readonly socket?: string;
  readonly config?: string;
  readonly logLevel?: string;
}

const HELP = `
For hosts that can afford a process that stays.

The page asks why something failed, shows each look as it is made, and keeps
what was found. It also answers GET /health and, as server-sent events,
POST /chat. With a session directory the investigations that its ticks queue
are worked off too. Another address than that of this machine alone needs
INVESTIGATE_TOKEN; the link http://HOST:PORT/#token=TOKEN enters it.

The socket answers POST /tick, with the body that \`tick --request\` reads and
the answer that \`tick --out\` writes. The decisions are those of \`tick\`, and
both may take turns on a session. Only its owner may connect.

With --socket the page is served only when --host or --port is given as well.
Ends on SIGINT or SIGTERM after the ticks at work.

Examples:
  robustness-agent serve --session-dir DIR
  robustness-agent serve --socket /run/user/1000/robustness.sock
  curl --unix-socket PATH -d @request.json http://localhost/tick
`;

/** `serve`: the chat page, and ticks on a socket without the start of a process. */
export const run: RunCommand = (argv, io) => {
  const program = createProgram('serve', 'Serves the chat page, or ticks on a socket, until it is ended.', io)
    .option('--port <number>', 'port of the page (else INVESTIGATE_PORT, else 8000)')
    .option('--host <address>', 'address of the page (else INVESTIGATE_HOST, else 127.0.0.1)')
    .option('--session-dir <dir>', 'session directory (else SESSION_DIR)')
    .option('--session-id <id>', "whose findings (else the directory's name)")
    .option('--out <dir>', 'where investigations go (else into the session directory)')
    .option('--repo <owner/name>', 'GitHub repository of the code')
    .option('--no-llm', 'without a model, even where one is configured')
    .option('--socket <path>', 'Unix socket to answer ticks on')
    .option('--config <file>', 'configuration file')
    .option('--log-level <level>', LOG_LEVELS.join(', '))
    .addHelpText('after', HELP);
  program.action(async (options: ServeOptions) => setExitCode(program, await serve(options, io)));
  return runProgram(program, argv, io);
};

async function serve(options: ServeOptions, io: CommandIo): Promise<number> {
  const logger = createLogger(logLevel(options.logLevel ?? io.env['ROBUSTNESS_LOG_LEVEL']) ?? 'warn');
  const ended = signalled();
  const endings: (() => Promise<void>)[] = [];
  try {
    if (options.socket !== undefined) endings.push(await serveSocket(options.socket, options, io, logger));
    const hasPage = options.socket === undefined || options.port !== undefined || options.host !== undefined;
    if (!hasPage) keepCodeSmall();
    if (hasPage) {
      // Loaded only here: the socket alone needs no web server.
      const { serveChat } = await import('./serve/serve-chat.js');
      endings.push(await serveChat(options, io, logger));
    }
    await ended;
  } finally {
    await Promise.all(endings.map((end) => end()));
  }
  return EXIT_OK;
}

async function serveSocket(
  socket: string,
  { config }: ServeOptions,
  io: CommandIo,
  logger: Logger,
): Promise<() => Promise<void>> {
  const ticks = new WarmTicks({ config, env: io.env, cwd: io.cwd, logger });
  const path = resolve(io.cwd, socket);
  const server = await serveTicks(path, ticks, logger);
  await writeAll(io.stdout, `answering POST /tick on ${path}\n`);
  return () => server.close();
}

/**
 * A tick a minute is served well by code as it is first compiled, which is what a process per tick runs as well. What V8
 * would compile again and again over weeks, for speed that nobody needs, is an eighth of the heap.
 */
function keepCodeSmall(): void {
  setFlagsFromString('--no-opt');
}

function signalled(): Promise<void> {
  return new Promise((resolved) => {
    const end = () => resolved();
    process.once('SIGINT', end).once('SIGTERM', end);
  });
}
