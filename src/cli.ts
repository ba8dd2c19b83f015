#!/usr/bin/env node
import type { CommandIo, RunCommand } from './runtime/shared/command.js';

interface CommandEntry {
  readonly summary: string;
  readonly load: () => Promise<{ readonly run: RunCommand }>;
}

/** Every command; its module is loaded only when it is called. */
const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  tick: { summary: 'answer one turn of the Coordinator', load: () => import('./runtime/tick.js') },
  replay: { summary: 'decide recorded ticks again', load: () => import('./runtime/replay.js') },
};

function usage(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  const rows = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return [
    'usage: robustness-agent [COMMAND] [OPTIONS]',
    '',
    'Guards a long inference-optimisation session.',
    '',
    ...rows,
    '',
    'Options of a command: robustness-agent COMMAND --help',
    '',
  ].join('\n');
}

async function main(argv: readonly string[]): Promise<number> {
  const [name, ...rest] = argv;
  if (name === '--help' || name === '-h') {
    process.stdout.write(usage());
    return 0;
  }
  const entry = name === undefined ? undefined : COMMANDS[name];
  if (entry === undefined) {
    process.stderr.write(name === undefined ? usage() : `RA_USAGE: there is no command ${name}\n${usage()}`);
    return 2;
  }
  const io: CommandIo = {
    env: process.env,
    cwd: process.cwd(),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
  };
  const { run } = await entry.load();
  return run(rest, io);
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`RA_INTERNAL: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 2;
  },
);
