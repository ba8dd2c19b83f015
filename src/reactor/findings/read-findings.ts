import { createReadStream, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { agentDirectory, findingsPath } from '../store/paths.js';
import type { Finding } from './finding.js';
import { parseFinding } from './parse-finding.js';

/** Lines beyond this are no findings of ours; they are skipped without being held in memory. */
const MAX_LINE_BYTES = 1024 * 1024;

/** What one line of a findings file held. */
export type FindingsLine =
  | { readonly ok: true; readonly finding: Finding; readonly line: number; readonly path: string }
  | {
      readonly ok: false;
      readonly reason: string;
      /** An object, only not one that this version understands. */
      readonly isRow: boolean;
      readonly line: number;
      readonly path: string;
    };

/** The findings file of a session and its predecessor, oldest first; those that exist. */
export function findingsFiles(sessionDir: string, sessionId: string): string[] {
  const current = findingsPath(sessionDir, sessionId);
  return [current.replace(/\.jsonl$/, '.1.jsonl'), current].filter((path) => existsSync(path));
}

/**
 * Ids that have a findings file in a session directory, sorted. Rotated files belong to the id before their `.1`.
 */
export function findingsIds(sessionDir: string): string[] {
  let names: string[];
  try {
    names = readdirSync(join(agentDirectory(sessionDir), 'findings'));
  } catch {
    // No directory: nothing was ever found.
    return [];
  }
  const ids = names.filter((name) => name.endsWith('.jsonl')).map((name) => name.slice(0, -'.jsonl'.length));
  return [
    ...new Set(
      ids.map((id) =>
        id.endsWith('.1') && names.includes(`${id.slice(0, -2)}.jsonl`) ? id.slice(0, -2) : id,
      ),
    ),
  ].sort();
}

/**
 * Streams the lines of findings files, in file order; a torn or foreign line is one refusal and costs no other. Memory does
 * not grow with the files.
 *
 * @param lastFileBytes how much of the last file to read; for a reader that follows it from there
 */
export async function* readFindings(
  paths: readonly string[],
  { lastFileBytes = Number.POSITIVE_INFINITY }: { lastFileBytes?: number } = {},
): AsyncGenerator<FindingsLine> {
  for (const path of paths)
    yield* readFile(path, path === paths.at(-1) ? lastFileBytes : Number.POSITIVE_INFINITY);
}

async function* readFile(path: string, bytes: number): AsyncGenerator<FindingsLine> {
  if (bytes <= 0) return;
  let line = 0;
  for await (const content of readLines(path, bytes)) {
    line += 1;
    if (content === undefined) {
      yield { ok: false, reason: `longer than ${MAX_LINE_BYTES} bytes`, isRow: false, line, path };
      continue;
    }
    if (content.trim() === '') continue;
    const reading = parseFinding(content);
    yield reading.ok ? { ok: true, finding: reading.finding, line, path } : { ...reading, line, path };
  }
}

/** Lines of a file as text, undefined for one that is too long; the last one also without its newline. */
async function* readLines(path: string, bytes: number): AsyncGenerator<string | undefined> {
  let parts: Buffer[] = [];
  let length = 0;
  const take = (): string | undefined => {
    const whole = length > MAX_LINE_BYTES ? undefined : Buffer.concat(parts).toString('utf8');
    parts = [];
    length = 0;
    return whole;
  };
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024, end: bytes - 1 })) {
    if (!Buffer.isBuffer(chunk)) continue;
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      if (length + end - from <= MAX_LINE_BYTES) parts.push(chunk.subarray(from, end));
      length += end - from;
      yield take();
      from = end + 1;
    }
    const rest = chunk.subarray(from);
    if (length + rest.length <= MAX_LINE_BYTES) parts.push(rest);
    length += rest.length;
  }
  if (length > 0) yield take();
}
