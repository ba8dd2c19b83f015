import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
} from 'node:fs';
import { opendir } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { describeFailure } from '../../foreign/write-file.js';
import { hasRefusedName, openConfined } from '../safety/confine.js';

export interface CopyLimits {
  readonly maxBytes: number;
  readonly maxEntries: number;
  readonly maxMs: number;
}

/** Caps of a prepared tree (spec 07 B13). */
export const COPY_LIMITS: CopyLimits = { maxBytes: 200 * 1024 * 1024, maxEntries: 50_000, maxMs: 60_000 };

export type Copied =
  | { readonly ok: true; readonly files: readonly string[] }
  | { readonly ok: false; readonly problem: string };

const FOLDER_MODE = 0o755;

/**
 * Copies a source tree for the sandbox: regular files, and links that stay inside. Files whose names say that they hold
 * secrets, `.git`, and everything else are left out. Never throws.
 *
 * @param from absolute and resolved
 * @param to an empty directory
 */
export async function copyTree(
  from: string,
  to: string,
  signal: AbortSignal,
  limits: CopyLimits = COPY_LIMITS,
): Promise<Copied> {
  const begun = performance.now();
  const files: string[] = [];
  const folders = [''];
  let bytes = 0;
  let entries = 0;
  try {
    for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
      for await (const entry of await opendir(join(from, folder))) {
        entries += 1;
        if (signal.aborted) return refused('it was cancelled');
        if (entries > limits.maxEntries) return refused(`it has more than ${limits.maxEntries} entries`);
        if (performance.now() - begun > limits.maxMs)
          return refused(`copying took more than ${limits.maxMs} ms`);
        if (hasRefusedName([entry.name])) continue;
        const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
        if (entry.isDirectory()) {
          mkdirSync(join(to, path));
          chmodSync(join(to, path), FOLDER_MODE);
          folders.push(path);
        } else if (entry.isSymbolicLink()) {
          copyLink(from, to, path);
        } else if (entry.isFile()) {
          bytes += copyFile(from, to, path, limits.maxBytes - bytes);
          if (bytes > limits.maxBytes) return refused(`it is larger than ${limits.maxBytes} bytes`);
          files.push(path);
        }
      }
    }
    return { ok: true, files };
  } catch (error) {
    return refused(describeFailure(error).code);
  }
}

/** Copies one file through a checked descriptor; gives its size, also when that is too much. */
function copyFile(from: string, to: string, path: string, room: number): number {
  const opened = openConfined(from, path);
  if (!opened.ok) return 0;
  try {
    if (opened.size > room) return opened.size;
    copyFileSync(`/proc/self/fd/${opened.fd}`, join(to, path), constants.COPYFILE_EXCL);
    // The sandbox is somebody else, who must be able to read it.
    chmodSync(join(to, path), (fstatSync(opened.fd).mode & 0o111) === 0 ? 0o644 : 0o755);
    return opened.size;
  } finally {
    closeSync(opened.fd);
  }
}

/** Keeps a relative link that ends inside the tree. */
function copyLink(from: string, to: string, path: string): void {
  const target = readlinkSync(join(from, path));
  if (isAbsolute(target)) return;
  let resolved: string;
  try {
    resolved = realpathSync(join(from, dirname(path), target));
  } catch {
    // A link to nothing is nothing to copy.
    return;
  }
  const inside = relative(from, resolved);
  if (inside === '' || inside.startsWith('..') || hasRefusedName(inside.split(sep))) return;
  symlinkSync(target, join(to, path));
}

function refused(problem: string): Copied {
  return { ok: false, problem: `the source tree cannot be copied: ${problem}` };
}
