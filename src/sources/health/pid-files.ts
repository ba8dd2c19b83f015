import { join } from 'node:path';
import { livenessOf } from '../liveness.js';
import { breathe } from '../tools/breathe.js';
import { listDirectory } from '../tools/list-directory.js';
import { readTextBounded } from '../tools/read-file.js';
import type { Stop } from '../tools/stop.js';

/** A server that outlives the step that started it, by its `<framework>_<port>.pid` (spec 02 §7). */
export interface ServerPidFile {
  readonly path: string;
  readonly framework: string;
  readonly port: number;
  readonly pid: number;
}

const NAME = /^([A-Za-z][A-Za-z0-9.-]{0,40})_(\d{1,5})\.pid$/;
const MAX_DEPTH = 6;
const MAX_ENTRIES = 5000;
const MAX_FILES = 64;
const MAX_BYTES = 4096;

/** The pid files below `runs/` whose process lives and is the one that was recorded. */
export async function livingServers(
  sessionDir: string,
  procRoot: string,
  signal: Stop,
): Promise<readonly ServerPidFile[]> {
  const found: ServerPidFile[] = [];
  const queue = [{ directory: join(sessionDir, 'runs'), depth: 0 }];
  let entries = 0;
  for (
    let next = queue.shift();
    next && entries < MAX_ENTRIES && found.length < MAX_FILES;
    next = queue.shift()
  ) {
    await breathe(signal);
    const listing = listDirectory(next.directory, MAX_ENTRIES - entries);
    if (!listing.ok) continue;
    entries += listing.entries.length;
    for (const entry of listing.entries) {
      const path = join(next.directory, entry.name);
      if (entry.isDirectory() && next.depth < MAX_DEPTH)
        queue.push({ directory: path, depth: next.depth + 1 });
      else if (NAME.test(entry.name)) found.push(...livingServer(path, entry.name, sessionDir, procRoot));
    }
  }
  return found.sort((a, b) => a.port - b.port).slice(0, MAX_FILES);
}

function livingServer(path: string, name: string, sessionDir: string, procRoot: string): ServerPidFile[] {
  const [, framework, digits] = NAME.exec(name) ?? [];
  const port = Number(digits);
  const read = readTextBounded(path, { maxBytes: MAX_BYTES, root: sessionDir });
  if (framework === undefined || port < 1 || port > 65_535 || !read.ok) return [];
  // Text: pid, then perhaps the process group.
  const pid = Number(/^\s*(\d{1,10})(?:\s|$)/.exec(read.text)?.[1] ?? Number.NaN);
  if (livenessOf(pid, read.mtimeUnix, procRoot).alive !== true) return [];
  return [{ path, framework, port, pid }];
}
