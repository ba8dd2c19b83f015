import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, type JsonObject, parseJson } from '../../foreign/json.js';
import { agentDirectory } from '../store/paths.js';

const INDEX_TAIL = 64 * 1024;

/** Where the investigations of a session are kept (spec 07 B2). */
export function investigationsRoot(sessionDir: string): string {
  return join(agentDirectory(sessionDir), 'investigations');
}

/** The newest lines of the index of investigations, oldest first; what is no object is skipped. Cheap without an index. */
export function indexRows(sessionDir: string): JsonObject[] {
  return tailOf(join(investigationsRoot(sessionDir), 'index.jsonl'))
    .split('\n')
    .flatMap((line) => {
      const parsed = parseJson(line);
      return parsed.ok && isObject(parsed.value) ? [parsed.value] : [];
    });
}

function tailOf(path: string): string {
  let fd: number | undefined;
  try {
    fd = openSync(path, 'r');
    const { size: bytes } = fstatSync(fd);
    const buffer = Buffer.alloc(Math.min(bytes, INDEX_TAIL));
    const count = readSync(fd, buffer, 0, buffer.length, bytes - buffer.length);
    return buffer.toString('utf8', 0, count);
  } catch {
    // Nothing was investigated yet.
    return '';
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
