import { join } from 'node:path';
import { isObject, type JsonObject, parseJson } from '../../foreign/json.js';
import { readTextBounded } from '../../sources/tools/read-file.js';
import { agentDirectory } from '../store/paths.js';

const INDEX_TAIL = 64 * 1024;

/** Where the investigations of a session are kept (spec 07 B2). */
export function investigationsRoot(sessionDir: string): string {
  return join(agentDirectory(sessionDir), 'investigations');
}

/** The newest lines of the index of investigations, oldest first; what is no object is skipped. Cheap without an index. */
export function indexRows(sessionDir: string): JsonObject[] {
  const path = join(investigationsRoot(sessionDir), 'index.jsonl');
  const tail = readTextBounded(path, { maxBytes: INDEX_TAIL, oversize: 'tail' });
  return (tail.ok ? tail.text : '').split('\n').flatMap((line) => {
    const parsed = parseJson(line);
    return parsed.ok && isObject(parsed.value) ? [parsed.value] : [];
  });
}
