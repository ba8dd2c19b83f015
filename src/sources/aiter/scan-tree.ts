import { join } from 'node:path';
import { breathe } from '../tools/breathe.js';
import { listDirectory } from '../tools/list-directory.js';
import type { Stop } from '../tools/stop.js';
import { fileFacts } from './jit-directory.js';

/** What lies in a tree of compiled kernels. */
export interface TreeScan {
  /** Finished modules outside `build/`. */
  readonly soCount: number;
  /** Finished modules below `build/`: they stay there after a successful compilation. */
  readonly buildCount: number;
  /** Times of empty lock files, unix s. */
  readonly lockTimes: readonly number[];
  readonly newestMtime: number | null;
  readonly isTruncated: boolean;
}

/** Entries of one tree. */
export const MAX_ENTRIES = 20_000;
const LOCK_NAMES = new Set(['lock', '.ninja_lock']);

/** One pass over a tree; links are not followed. */
export async function scanTree(
  root: string,
  signal: Stop,
  maxEntries: number = MAX_ENTRIES,
): Promise<TreeScan> {
  const scan = { soCount: 0, buildCount: 0, newestMtime: Number.NEGATIVE_INFINITY };
  const lockTimes: number[] = [];
  const queue = [{ directory: root, isBuild: false, depth: 0 }];
  let left = maxEntries;
  for (let next = queue.pop(); next && left > 0; next = queue.pop()) {
    await breathe(signal);
    const listing = listDirectory(next.directory, left);
    if (!listing.ok) continue;
    left -= listing.entries.length;
    for (const entry of listing.entries) {
      const path = join(next.directory, entry.name);
      if (entry.isDirectory()) {
        const isBuild = next.isBuild || (next.depth === 0 && entry.name === 'build');
        queue.push({ directory: path, isBuild, depth: next.depth + 1 });
        continue;
      }
      if (!entry.isFile()) continue;
      if (entry.name.endsWith('.so')) {
        if (next.isBuild) scan.buildCount += 1;
        else scan.soCount += 1;
      }
      const facts = fileFacts(path);
      if (!facts) continue;
      scan.newestMtime = Math.max(scan.newestMtime, facts.mtimeUnix);
      if (LOCK_NAMES.has(entry.name) && facts.size === 0) lockTimes.push(facts.mtimeUnix);
    }
  }
  return {
    soCount: scan.soCount,
    buildCount: scan.buildCount,
    lockTimes,
    newestMtime: Number.isFinite(scan.newestMtime) ? scan.newestMtime : null,
    isTruncated: left <= 0,
  };
}
