import { Readable, Writable } from 'node:stream';
import type { CommandIo, RunCommand } from '../../src/runtime/shared/command.js';

/** What a command left behind. */
export interface CommandOutcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in this process with streams in memory. */
export async function runCommand(
  run: RunCommand,
  argv: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv; readonly stdin?: string } = {},
): Promise<CommandOutcome> {
  const stdout = new MemoryStream();
  const stderr = new MemoryStream();
  const io: CommandIo = {
    env: options.env ?? {},
    cwd: options.cwd ?? process.cwd(),
    stdin: Readable.from([options.stdin ?? '']),
    stdout,
    stderr,
  };
  const code = await run(argv, io);
  return { code, stdout: stdout.text, stderr: stderr.text };
}

class MemoryStream extends Writable {
  text = '';

  override _write(chunk: Buffer | string, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}
