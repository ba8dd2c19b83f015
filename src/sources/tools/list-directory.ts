import { type Dirent, opendirSync } from 'node:fs';
import { refusal } from './read-file.js';

/** Entries read of one directory at most (spec 02 §10.1). */
export const MAX_ENTRIES = 5000;

export type Listing =
  | { readonly ok: true; readonly entries: readonly Dirent[]; readonly truncated: boolean }
  | { readonly ok: false; readonly reason: 'missing' | 'permission' | 'io'; readonly detail: string };

/** The entries of a directory in no particular order, never more than `limit`; a missing directory is an answer. Never throws. */
export function listDirectory(path: string, limit: number = MAX_ENTRIES): Listing {
  try {
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

/** The names in a directory, `[]` when it cannot be read. */
export function namesIn(path: string, limit: number = MAX_ENTRIES): string[] {
  const listing = listDirectory(path, limit);
  return listing.ok ? listing.entries.map((entry) => entry.name) : [];
}
