import { closeSync } from 'node:fs';
import { cleanJson } from '../../../foreign/hygiene.js';
import { isObject, type Json } from '../../../foreign/json.js';
import { parseWriterJson } from '../../../foreign/writer-json.js';
import { readRange } from '../../../sources/tools/read-file.js';
import { pathEntities } from '../../evidence/entities.js';
import { openConfined } from '../../safety/confine.js';
import { matchesAny } from '../../safety/glob.js';
import { numberOf, stringOf } from '../arguments.js';
import { failed, type Tool, type ToolOutcome } from '../tool.js';
import { failureOf, outcomeItem } from './outcome-item.js';
import { cleanLines } from './query-events.js';
import { JSON_GLOBS } from './readable.js';
import type { SessionFiles } from './session.js';

const MAX_BYTES = 8 * 1024 * 1024;
const MANIFEST = 'manifest.json';

/** `read_session_json` (spec 07 B4.2). */
export function readSessionJson(files: SessionFiles): Tool {
  return {
    name: 'read_session_json',
    capability: 'session',
    family: 'session',
    description:
      'A JSON file of the session (state, manifest, run results, reports), or a part of it, pruned.',
    parameters: {
      path: { type: 'string', maxLength: 1024, doc: 'relative to the session directory' },
      pointer: { type: 'string', default: '', doc: 'JSON Pointer to the part wanted' },
      max_items: { type: 'integer', default: 50, minimum: 1, maximum: 200, doc: 'items per list' },
    },
    async run(args, { clean }) {
      const path = stringOf(args, 'path');
      if (!matchesAny(path, JSON_GLOBS))
        return failed('denied', 'this file is not among those that can be read');
      const opened = openConfined(files.root, path);
      if (!opened.ok) return failed(opened.status, opened.reason);
      try {
        if (opened.size > MAX_BYTES) return failed('error', `${opened.size} bytes, limit ${MAX_BYTES}`);
        const text = readRange(opened.fd, 0, opened.size).toString('utf8');
        const parsed = parseWriterJson(text);
        if (!parsed.ok) return failed('error', `not valid JSON: ${parsed.message}`);
        const part = follow(parsed.value, stringOf(args, 'pointer'));
        if (part === undefined) return failed('error', 'the pointer leads to nothing');
        const limits = { text: 500, items: numberOf(args, 'max_items', 50), keys: 200, depth: 6 };
        const { value, cut } = cleanJson(part, limits, clean);
        const data = { path, value, mtime_unix: opened.mtimeUnix, size: opened.size };
        const base = { status: 'ok' as const, data, count: 1, truncated: cut, filePath: path };
        return { ...base, ...judge(path, parsed.value, text, opened.mtimeUnix, clean) };
      } finally {
        closeSync(opened.fd);
      }
    },
  };
}

/** What kind of evidence the file is (spec 07 B5). */
function judge(
  path: string,
  value: Json,
  text: string,
  mtimeUnix: number,
  clean: (line: string) => string,
): Pick<ToolOutcome, 'cls' | 'items' | 'source' | 'hasContent' | 'errorSignal'> {
  if (path === MANIFEST) {
    const lines = text.split('\n').map(clean);
    return {
      cls: 'source',
      hasContent: text.trim() !== '',
      source: { path, lineStart: 1, lineEnd: lines.length, lines },
    };
  }
  if (!path.startsWith('runs/')) return { cls: 'none' };
  const failure = isObject(value) ? failureOf(value) : null;
  if (failure === null) return { cls: 'trace', items: [] };
  const item = outcomeItem({
    key: `result:${path}`,
    tsUnix: mtimeUnix,
    entities: pathEntities(path),
    text: failure.text === null ? null : cleanLines(failure.text, clean),
    source: path,
  });
  return { cls: 'trace', items: [item], errorSignal: 'task_failed' };
}

/** The value at a JSON Pointer (RFC 6901); undefined when there is none. */
export function follow(value: Json, pointer: string): Json | undefined {
  if (pointer === '') return value;
  let current: Json | undefined = value;
  for (const token of pointer.replace(/^\//, '').split('/')) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(current)) current = /^\d{1,9}$/.test(key) ? current[Number(key)] : undefined;
    else current = isObject(current) && Object.hasOwn(current, key) ? current[key] : undefined;
    if (current === undefined) return undefined;
  }
  return current;
}
