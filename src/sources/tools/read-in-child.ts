import { findExecutable } from './find-executable.js';
import { runTool } from './run-tool.js';
import type { Stop } from './stop.js';

/** Where every system keeps it; a `grep` on the user's path may be anything. */
const SYSTEM_PATH = '/usr/bin:/bin';

export interface ReadInChildOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  readonly signal: Stop;
}

/**
 * Small text files by their paths, read in a child process. A read on a wedged device or a dead mount never returns, and a
 * thread that hangs in one keeps its whole process from ending; a child can be left to itself. What cannot be read is not
 * in the answer, and what had arrived at the limit is.
 */
export async function readInChild(
  paths: readonly string[],
  options: ReadInChildOptions,
): Promise<ReadonlyMap<string, string>> {
  const executable = findExecutable('grep', SYSTEM_PATH);
  if (executable === null || paths.length === 0) return new Map();
  // Line by line, so that what was read before a file that hangs is not lost with the buffer.
  const args = ['--line-buffered', '-asH', '', '--', ...paths];
  const outcome = await runTool({ executable, args, ...options });
  return outcome.kind === 'not_started' ? new Map() : filesIn(outcome.stdout, paths);
}

/** Lines `path:text`; no path holds a line break. */
function filesIn(output: string, paths: readonly string[]): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  let current: string | undefined;
  const known = new Set(paths);
  for (const line of output.split('\n')) {
    if (current === undefined || !line.startsWith(`${current}:`)) {
      current = prefixOf(line, known);
      if (current === undefined) continue;
    }
    const text = line.slice(current.length + 1);
    const before = files.get(current);
    files.set(current, before === undefined ? text : `${before}\n${text}`);
  }
  return files;
}

function prefixOf(line: string, known: ReadonlySet<string>): string | undefined {
  for (let colon = line.indexOf(':'); colon > 0; colon = line.indexOf(':', colon + 1)) {
    const path = line.slice(0, colon);
    if (known.has(path)) return path;
  }
  return undefined;
}
