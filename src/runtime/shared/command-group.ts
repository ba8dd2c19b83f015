import type { CommandIo, RunCommand } from './command.js';
import { EXIT_FAILURE, EXIT_OK } from './exit-codes.js';
import { writeAll } from './streams.js';
import { UserError } from './user-error.js';

export interface SubCommand {
  readonly summary: string;
  readonly load: () => Promise<{ readonly run: RunCommand }>;
}

export interface CommandGroup {
  readonly name: string;
  /** Lines below the usage line. */
  readonly about: readonly string[];
  /** Each module is loaded only when it is called. */
  readonly commands: Readonly<Record<string, SubCommand>>;
  /** Lines below the list of commands. */
  readonly notes: readonly string[];
}

/** Runs the sub-command that the first argument names; without one, or for help, the usage is printed. */
export async function runGroup(group: CommandGroup, argv: readonly string[], io: CommandIo): Promise<number> {
  const [name, ...rest] = argv;
  if (name === undefined || name === '--help' || name === '-h') {
    await writeAll(io.stdout, usage(group));
    return EXIT_OK;
  }
  try {
    const command = Object.hasOwn(group.commands, name) ? group.commands[name] : undefined;
    if (command === undefined) {
      throw new UserError({
        code: 'RA_USAGE',
        happened: `${group.name} has no command ${JSON.stringify(name)}`,
        expected: `one of ${Object.keys(group.commands).join(', ')}`,
      });
    }
    return await (await command.load()).run(rest, io);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    await writeAll(io.stderr, `${error.line}\n`);
    return EXIT_FAILURE;
  }
}

function usage({ name, about, commands, notes }: CommandGroup): string {
  const width = Math.max(...Object.keys(commands).map((command) => command.length)) + 2;
  const rows = Object.entries(commands).map(
    ([command, { summary }]) => `  ${command.padEnd(width)}${summary}`,
  );
  return [
    `usage: robustness-agent ${name} COMMAND [OPTIONS]`,
    '',
    ...about,
    '',
    ...rows,
    '',
    `Options of a command: robustness-agent ${name} COMMAND --help`,
    ...notes,
    '',
  ].join('\n');
}
