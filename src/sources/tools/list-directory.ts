import { type Dirent, opendirSync, readdirSync, type Stats, statSync } from 'node:fs';
import { refusal } from './read-file.js';

/** Entries read of one directory at most (spec 02 §10.1). */
export const MAX_ENTRIES = 5000;

/** Size of a directory, bytes, up to which it holds hundreds of names, not thousands, on any file system that keeps count. */
const ONE_BLOCK = 4096;

export type Listing =
  | { readonly ok: true; readonly entries: readonly Dirent[]; readonly truncated: boolean }
  | { readonly ok: false; readonly reason: 'missing' | 'permission' | 'io'; readonly detail: string };

/** The entries of a directory in no particular order, never more than `limit`; a missing directory is an answer. Never throws. */
export function listDirectory(path: string, limit: number = MAX_ENTRIES): Listing {
  try {
    // The reader of large directories is a module of its own, which most ticks need not load.
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return { ok: false, reason: 'missing', detail: 'ENOENT' };
    if (isShort(found)) return cutTo(limit, readdirSync(path, { withFileTypes: true }));
    const directory = opendirSync(path);
    try {
      const entries: Dirent[] = [];
      for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) {
        if (entries.length >= limit) return { ok: true, entries, truncated: true };
        entries.push(entry);
      }
      return { ok: true, entries, truncated: false };
    } finally {
      directory.closeSync();
    }
  } catch (error) {
    const { reason, detail } = refusal(error);
    if (reason === 'missing' || reason === 'permission') return { ok: false, reason, detail };
    return { ok: false, reason: 'io', detail };
  }
}

/** A file system that keeps no count says 0. */
function isShort({ size }: Stats): boolean {
  return size > 0 && size <= ONE_BLOCK;
}

function cutTo(limit: number, entries: readonly Dirent[]): Listing {
  return { ok: true, entries: entries.slice(0, limit), truncated: entries.length > limit };
}

/** The names in a directory, `[]` when it cannot be read. */
export function namesIn(path: string, limit: number = MAX_ENTRIES): string[] {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return [];
    if (isShort(found)) return readdirSync(path).slice(0, limit);
  } catch {
    return [];
  }
  const listing = listDirectory(path, limit);
  return listing.ok ? listing.entries.map((entry) => entry.name) : [];
}
