import { join } from 'node:path';
import type { JsonObject } from '../foreign/json.js';
import { replaceFile } from '../foreign/write-file.js';
import { readJsonObject } from './tools/read-json.js';

const MAX_CACHE_BYTES = 2 ** 20;

/** Where answers that are refreshed rarely are kept (spec 02 §10.7). */
export function cachePath(sessionDir: string): string {
  return join(sessionDir, 'agents', 'robustness', 'sources_cache.json');
}

/** The cache as the last tick left it; unreadable, too large or foreign means no cache. */
export function readCache(sessionDir: string | null): JsonObject {
  if (sessionDir === null) return {};
  const read = readJsonObject(cachePath(sessionDir), { maxBytes: MAX_CACHE_BYTES });
  return read.ok ? read.value : {};
}

/**
 * Replaces the cache file in one step. The entry that makes it too large is left out, largest first.
 *
 * @returns why it could not be written, null when it was
 */
export function writeCache(sessionDir: string, cache: JsonObject): string | null {
  return replaceFile(cachePath(sessionDir), fitting(cache), { durable: false })?.message ?? null;
}

function fitting(cache: JsonObject): string {
  const entries = Object.entries(cache)
    .map(([key, value]) => ({ key, json: JSON.stringify(value) }))
    .filter((entry) => entry.json !== undefined)
    .sort((a, b) => a.json.length - b.json.length);
  const parts: string[] = [];
  let room = MAX_CACHE_BYTES - 64;
  for (const { key, json } of entries) {
    const part = `${JSON.stringify(key)}:${json}`;
    room -= Buffer.byteLength(part) + 2;
    if (room < 0) break;
    parts.push(part);
  }
  return `{${parts.join(',\n')}}\n`;
}
