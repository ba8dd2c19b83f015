import { findExecutable } from '../tools/find-executable.js';
import { mayHang, mountOf, mountsOf } from '../tools/mounts.js';
import { runTool } from '../tools/run-tool.js';
import type { Stop } from '../tools/stop.js';

const TIMEOUT_MS = 1500;

/**
 * False when the session lies on a file system that does not answer. Only those that may hang are asked, by a child that can
 * be left behind: one look of our own at such a directory could never be interrupted.
 */
export async function isSessionReachable(
  sessionDir: string,
  procRoot: string,
  env: Readonly<Record<string, string | undefined>>,
  signal?: Stop,
): Promise<boolean> {
  const mount = mountOf(sessionDir, mountsOf(procRoot));
  if (mount === undefined || !mayHang(mount)) return true;
  const executable = findExecutable('ls', env['PATH']);
  if (executable === null) return true;
  // A directory is read, because attributes are cached; what the answer says does not matter.
  const args = ['-U', '--', sessionDir];
  const outcome = await runTool({
    executable,
    args,
    env,
    timeoutMs: TIMEOUT_MS,
    signal: signal ?? new AbortController().signal,
  });
  return outcome.kind !== 'timeout';
}
