import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { integer, isObject, parseJson } from '../../foreign/json.js';
import { readLines } from '../trace/lines.js';
import { type Finding, type Presence, parseFinding, parsePresence } from './finding.js';

/** Everything that rx reads of one session but the database. */
export interface SessionRecord {
  readonly session_id: string;
  /** The session directory. */
  readonly directory: string;
  readonly findings: readonly Finding[];
  readonly presence: readonly Presence[];
  /** The Coordinator's tick, null when `state.json` does not say. */
  readonly state_tick: number | null;
  /** Lines of findings and presence that could not be read. */
  readonly torn_lines: number;
  readonly database: string;
}

/** Where the findings of one session are. */
export interface SessionLocation {
  readonly session_id: string;
  readonly directory: string;
}

const MAX_LINE_BYTES = 1024 * 1024;
const MAX_STATE_BYTES = 16 * 1024 * 1024;
/** Rows of one file that are kept; a session of a week at one finding a minute has a third of it. */
const MAX_ROWS = 200_000;
const FINDINGS = ['agents', 'robustness', 'findings'] as const;
const PRESENCE = ['agents', 'robustness', 'presence'] as const;

/** One of the named directories does not exist or holds no findings. */
export class FindingsPathError extends Error {
  constructor(
    readonly path: string,
    reason: string,
  ) {
    super(`no findings under ${path}: ${reason}`);
    this.name = 'FindingsPathError';
  }
}

/**
 * The sessions of a directory: a session directory itself, or one whose direct children are session directories. Order is
 * that of the names.
 *
 * @throws FindingsPathError when there is none
 */
export async function locateSessions(directory: string): Promise<SessionLocation[]> {
  const own = await sessionsOf(directory);
  if (own !== null) return own;
  const children = await readdir(directory, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    throw new FindingsPathError(directory, error.code ?? error.message);
  });
  const found: SessionLocation[] = [];
  for (const child of children
    .filter((entry) => entry.isDirectory())
    .sort((a, b) => (a.name < b.name ? -1 : 1))) {
    found.push(...((await sessionsOf(join(directory, child.name))) ?? []));
  }
  if (found.length === 0) {
    throw new FindingsPathError(directory, `neither it nor a child has ${FINDINGS.join('/')}`);
  }
  return found;
}

/** Reads one session; missing files are empty. */
export async function readSession(location: SessionLocation): Promise<SessionRecord> {
  const { directory, session_id: id } = location;
  const findings = await readRows(join(directory, ...FINDINGS), id, parseFinding);
  const presence = await readRows(join(directory, ...PRESENCE), id, parsePresence);
  return {
    ...location,
    findings: findings.rows,
    presence: presence.rows,
    state_tick: await readStateTick(join(directory, 'state.json')),
    torn_lines: findings.torn + presence.torn,
    database: join(directory, 'coordinator.db'),
  };
}

/** Null when the directory has no findings directory. */
async function sessionsOf(directory: string): Promise<SessionLocation[] | null> {
  const names = await readdir(join(directory, ...FINDINGS)).catch(() => null);
  if (names === null) return null;
  const ids = names.filter((name) => name.endsWith('.jsonl')).map((name) => basename(name, '.jsonl'));
  const own = ids.filter((id) => !(id.endsWith('.1') && ids.includes(id.slice(0, -2))));
  return own.sort().map((id) => ({ session_id: id.replace(/\.1$/, ''), directory }));
}

/** The rows of a file, its rotated part first. */
async function readRows<T>(
  directory: string,
  id: string,
  parse: (row: unknown) => T | null,
): Promise<{ rows: T[]; torn: number }> {
  const rows: T[] = [];
  let torn = 0;
  for (const name of [`${id}.1.jsonl`, `${id}.jsonl`]) {
    const path = join(directory, name);
    if (!(await isFile(path))) continue;
    for await (const lines of readLines(path, { max_line_bytes: MAX_LINE_BYTES })) {
      for (const line of lines) {
        if ('text' in line && line.text.trim() === '') continue;
        const json = 'text' in line ? parseJson(line.text) : null;
        const row = json?.ok ? parse(json.value) : null;
        if (row === null) torn += 1;
        else if (rows.length < MAX_ROWS) rows.push(row);
      }
    }
  }
  return { rows, torn };
}

async function readStateTick(path: string): Promise<number | null> {
  if (!(await isFile(path, MAX_STATE_BYTES))) return null;
  const state = parseJson(await readFile(path, 'utf8'));
  return state.ok && isObject(state.value) ? (integer(state.value['tick']) ?? null) : null;
}

async function isFile(path: string, maxBytes = Number.POSITIVE_INFINITY): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found?.isFile() === true && found.size <= maxBytes;
}
