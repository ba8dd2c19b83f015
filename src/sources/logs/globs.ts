import { isAbsolute, join } from 'node:path';
import { breathe } from '../tools/breathe.js';
import { listDirectory } from '../tools/list-directory.js';
import type { Stop } from '../tools/stop.js';

const MAX_ENTRIES = 5000;
const MAX_FILES = 256;
const MAX_DEPTH = 8;

/**
 * Files below a directory whose relative path fits a pattern of names, `*`, `?` and `**`. A pattern that is absolute or
 * climbs with `..` fits nothing (spec 02 §10.1).
 */
export async function globFiles(root: string, pattern: string, signal: Stop): Promise<string[]> {
  const parts = pattern.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.length === 0 || isAbsolute(pattern) || parts.includes('..')) return [];
  const found = new Set<string>();
  const queue: { directory: string; rest: readonly string[]; depth: number }[] = [
    { directory: root, rest: parts, depth: 0 },
  ];
  let entries = 0;
  for (let next = queue.shift(); next !== undefined && entries < MAX_ENTRIES; next = queue.shift()) {
    await breathe(signal);
    const [head = '', ...rest] = next.rest;
    const listing = listDirectory(next.directory, MAX_ENTRIES - entries);
    if (!listing.ok || next.depth > MAX_DEPTH) continue;
    entries += listing.entries.length;
    const isDeep = head === '**';
    // `**` stands for no directory as well.
    if (isDeep && rest.length > 0) queue.push({ directory: next.directory, rest, depth: next.depth });
    const fits = isDeep ? () => true : matcher(head);
    for (const entry of listing.entries) {
      if (!fits(entry.name)) continue;
      const path = join(next.directory, entry.name);
      if (entry.isDirectory()) {
        const below = isDeep ? next.rest : rest;
        if (below.length > 0) queue.push({ directory: path, rest: below, depth: next.depth + 1 });
      } else if (rest.length === 0 && found.size < MAX_FILES) found.add(path);
    }
  }
  return [...found];
}

function matcher(part: string): (name: string) => boolean {
  const source = part
    .split(/(\*+|\?)/)
    .map((piece) =>
      piece.startsWith('*') ? '[^/]*' : piece === '?' ? '[^/]' : piece.replace(/[.+^${}()|[\]\\]/g, '\\$&'),
    )
    .join('');
  const expression = new RegExp(`^${source}$`);
  return (name) => expression.test(name);
}
