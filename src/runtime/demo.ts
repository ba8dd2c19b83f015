import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findingsPath, presencePath, statePath } from '../reactor/store/paths.js';
import { sqliteDriver } from '../sources/bus/sqlite-driver.js';
import { type PlayedScene, play } from './demo/play.js';
import { scenario } from './demo/scenario.js';
import { showScene } from './demo/show.js';
import { DemoWorld } from './demo/world.js';
import type { CommandIo, RunCommand } from './shared/command.js';
import { EXIT_FOUND, EXIT_OK } from './shared/exit-codes.js';
import { createProgram, runProgram, setExitCode } from './shared/program.js';
import { writeAll } from './shared/streams.js';
import { UserError } from './shared/user-error.js';

interface DemoOptions {
  readonly dir?: string;
  readonly remove?: boolean;
}

const HELP = `
Builds a real session (database, logs, state, a server process, a GPU tool),
plants five faults between healthy stretches, and answers every tick through
this very program. Offline; ends with code 1 if a fault is missed or a healthy
stretch is accused.
`;

/** `demo`: ninety minutes of a session in a few seconds. */
export const run: RunCommand = (argv, io) => {
  const program = createProgram('demo', 'Shows the agent at work on a session of its own making.', io)
    .option('--dir <dir>', 'where to build the session (default a temporary directory)')
    .option('--remove', 'remove the session afterwards')
    .addHelpText('after', HELP);
  program.action(async (options: DemoOptions) => setExitCode(program, await demo(options, io)));
  return runProgram(program, argv, io);
};

async function demo(options: DemoOptions, io: CommandIo): Promise<number> {
  const driver = sqliteDriver();
  if (!driver.ok) throw withoutDatabase(driver.detail);
  const parent =
    options.dir === undefined
      ? mkdtempSync(join(tmpdir(), 'robustness-demo-'))
      : resolve(io.cwd, options.dir);
  mkdirSync(parent, { recursive: true });
  const scenes = scenario();
  const world = new DemoWorld(parent, await freePort(), Math.floor(Date.now() / 1000));
  const cli = fileURLToPath(new URL('../cli.js', import.meta.url));
  const colour = io.stdout.isTTY === true && (io.env['NO_COLOR'] ?? '') === '';
  const played: PlayedScene[] = [];
  try {
    await world.engine.start();
    for (const [index, scene] of scenes.entries()) {
      const one = await play(scene, index + 1, world, cli);
      played.push(one);
      await writeAll(io.stdout, `${showScene(one, colour)}\n`);
    }
  } finally {
    world.engine.stop();
    world.db.close();
  }
  const wrong = played.filter(({ complaints }) => complaints.length > 0);
  await writeAll(io.stdout, summary(played, wrong.length, world));
  if (options.remove === true) rmSync(parent, { recursive: true, force: true });
  return wrong.length === 0 ? EXIT_OK : EXIT_FOUND;
}

function withoutDatabase(detail: string): UserError {
  return new UserError({
    code: 'RA_SQLITE',
    happened: `the demo cannot build its database: ${detail}`,
    todo: 'see "SQLite" in docs/install.md; ticks work without it',
  });
}

function summary(played: readonly PlayedScene[], wrong: number, world: DemoWorld): string {
  const { dir } = world.session;
  const healthy = played.filter(({ scene }) => scene.kind === 'healthy').length;
  const verdict =
    wrong === 0
      ? `All five faults were found, none of the ${healthy} healthy ticks was accused.`
      : `THE DEMO FAILED: ${wrong} of ${played.length} ticks are wrong, see WRONG above.`;
  return [
    verdict,
    '',
    `session    ${dir}`,
    `findings   ${findingsPath(dir, 'demo')}`,
    `presence   ${presencePath(dir, 'demo')}`,
    `state      ${statePath(dir)}`,
    '',
    'Next: robustness-agent findings list --session-dir SESSION --session-id demo',
    '',
  ].join('\n');
}

/** A port of the loopback interface that is free now. */
function freePort(): Promise<number> {
  return new Promise((resolvePort, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolvePort(port));
    });
  });
}
