import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { CLI, cleanEnv } from './cli.js';
import { tempDir } from './temp-dir.js';

export interface Serving {
  readonly child: ChildProcess;
  /** The next line of its output. */
  line(): Promise<string>;
  /** Ends it as an operator would; its exit code. */
  end(): Promise<number | null>;
}

/** `serve` as a process of its own, killed at the latest when the test ends. */
export function serve(args: readonly string[], env: Record<string, string> = {}): Serving {
  const child = spawn(process.execPath, [CLI, 'serve', ...args], {
    env: cleanEnv(env),
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: tempDir(),
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return {
    child,
    line: async () => (await lines.next()).value ?? '',
    end: () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

/** Address of the page in the line that tells it. */
export function urlIn(line: string): string {
  return /^investigations: (http:\/\/\S+)\/$/.exec(line)?.[1] ?? '';
}

/** A session with a log of an engine that ran out of memory. */
export function sessionWithLog(): string {
  const directory = join(tempDir(), 'session');
  mkdirSync(join(directory, 'logs'), { recursive: true });
  const stamp = new Date().toISOString();
  const line = 'ERROR engine: torch.OutOfMemoryError: HIP out of memory. Tried to allocate 2.00 GiB';
  writeFileSync(join(directory, 'logs', 'server.log'), `${stamp} INFO engine: starting\n${stamp} ${line}\n`);
  return directory;
}
