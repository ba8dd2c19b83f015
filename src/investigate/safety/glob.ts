import { opendirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { hasRefusedName } from './confine.js';

export interface FoundFile {
  /** Relative to the root, POSIX style. */
  readonly path: string;
  readonly size: number;
  readonly mtimeUnix: number;
}

export interface Expansion {
  readonly files: readonly FoundFile[];
  /** Entries or time ran out. */
  readonly truncated: boolean;
}

const MAX_ENTRIES = 20_000;
const MAX_MS = 2000;

/** A glob of `*`, `**` and `?` as an expression over relative paths. */
export function globPattern(glob: string): RegExp {
  const source = glob
    .split(/(\*\*\/|\*\*|\*|\?)/)
    .map((part) => {
      if (part === '**/') return '(?:[^/]+/)*';
      if (part === '**') return '.*';
      if (part === '*') return '[^/]*';
      return part === '?' ? '[^/]' : part.replace(/[.+^${}()|[\]\\]/g, '\\$&');
    })
    .join('');
  return new RegExp(`^${source}$`);
}

export function matchesAny(path: string, globs: readonly string[]): boolean {
  return globs.some((glob) => globPattern(glob).test(path));
}

/** Regular files below a root that fit one of the globs; linked directories are not entered (spec 07 B4.3). */
export function expandGlobs(root: string, globs: readonly string[]): Expansion {
  const patterns = globs.map(globPattern);
  const tops = new Set(globs.map((glob) => glob.split('/', 1)[0] ?? ''));
  const end = performance.now() + MAX_MS;
  const files: FoundFile[] = [];
  const queue = [''];
  let entries = 0;
  let truncated = false;
  for (let directory = queue.shift(); directory !== undefined; directory = queue.shift()) {
    for (const { name, isDirectory, isFile } of listing(join(root, directory), MAX_ENTRIES - entries)) {
      entries += 1;
      const path = directory === '' ? name : `${directory}/${name}`;
      if (hasRefusedName([name])) continue;
      if (isDirectory) {
        if (directory !== '' || tops.has(name) || tops.has('**')) queue.push(path);
      } else if (isFile && patterns.some((pattern) => pattern.test(path))) {
        const stat = statSync(join(root, path), { throwIfNoEntry: false });
        if (stat?.isFile()) files.push({ path, size: stat.size, mtimeUnix: stat.mtimeMs / 1000 });
      }
    }
    if (entries >= MAX_ENTRIES || performance.now() > end) {
      truncated = queue.length > 0 || entries >= MAX_ENTRIES;
      break;
    }
  }
  return { files: files.sort((a, b) => b.mtimeUnix - a.mtimeUnix || (a.path < b.path ? -1 : 1)), truncated };
}

function listing(path: string, limit: number): { name: string; isDirectory: boolean; isFile: boolean }[] {
  try {
    const directory = opendirSync(path);
    try {
      const found: { name: string; isDirectory: boolean; isFile: boolean }[] = [];
      for (
        let entry = directory.readSync();
        entry !== null && found.length < limit;
        entry = directory.readSync()
      ) {
        const isFile = entry.isFile() || entry.isSymbolicLink();
        found.push({ name: entry.name, isDirectory: entry.isDirectory(), isFile });
      }
      return found;
    } finally {
      directory.closeSync();
    }
  } catch {
    // Gone since it was listed, or not ours to see: then there is nothing in it for us.
    return [];
  }
}
