import { Command, CommanderError } from 'commander';
import type { CommandIo } from './command.js';
import { EXIT_FAILURE, EXIT_OK } from './exit-codes.js';
import { writeAll } from './streams.js';
import { UserError } from './user-error.js';

/** A commander program whose text goes to the given streams and that never ends the process. */
export function createProgram(name: string, summary: string, io: CommandIo): Command {
  return silenced(new Command(`robustness-agent ${name}`), io).description(summary);
}

/** Lets a sub-command inherit the same manners. */
export function silenced(command: Command, io: CommandIo): Command {
  return command
    .exitOverride()
    .helpOption('-h, --help', 'show this text')
    .configureHelp({ helpWidth: 80 })
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text.replace(/^error: /, 'RA_USAGE: ')),
      getOutHelpWidth: () => 80,
      getErrHelpWidth: () => 80,
    });
}

/**
 * Runs a program's action and turns what it meets into an exit code: help is 0, a usage error or a {@link UserError} one
 * line on stderr and 2.
 */
export async function runProgram(program: Command, argv: readonly string[], io: CommandIo): Promise<number> {
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return codes.get(program) ?? EXIT_OK;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_OK : EXIT_FAILURE;
    if (!(error instanceof UserError)) throw error;
    await writeAll(io.stderr, `${error.line}\n`);
    return EXIT_FAILURE;
  }
}

const codes = new WeakMap<Command, number>();

/** Sets the exit code of a program from inside an action. */
export function setExitCode(program: Command, code: number): void {
  codes.set(program, code);
}
