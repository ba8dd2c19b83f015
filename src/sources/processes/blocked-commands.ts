import { findExecutable } from '../tools/find-executable.js';
import { runTool } from '../tools/run-tool.js';
import type { Stop } from '../tools/stop.js';
import type { CommandReader } from './proc-table.js';

/** Processes in uninterruptible sleep that are asked; on a host with more of them the rest keep their short titles. */
const MAX_ASKED = 16;
const TIMEOUT_MS = 300;
const COMMAND_BYTES = 128 * 1024;

/** Reads command lines in children that can be left behind when the kernel does not answer. */
export function blockedCommandReader(
  procRoot: string,
  env: Readonly<Record<string, string | undefined>>,
  signal: Stop,
): CommandReader {
  return async (pids) => {
    const executable = findExecutable('cat', env['PATH']);
    if (executable === null) return new Map();
    const answers = await Promise.all(
      pids.slice(0, MAX_ASKED).map(async (pid): Promise<[number, string][]> => {
        const args = [`${procRoot}/${pid}/cmdline`];
        const outcome = await runTool({
          executable,
          args,
          env,
          timeoutMs: TIMEOUT_MS,
          signal,
          stdoutLimit: COMMAND_BYTES,
        });
        return outcome.kind === 'exited' && outcome.stdout !== '' ? [[pid, outcome.stdout]] : [];
      }),
    );
    return new Map(answers.flat());
  };
}
