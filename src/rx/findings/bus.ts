import { copyFile, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type SqliteDatabase from 'better-sqlite3';
import { parseIsoUnix } from '../../foreign/iso-time.js';

/** An event of the bus, reduced to the keys that labels need. */
export interface BusEvent {
  readonly seq: number;
  readonly timestamp: number;
  readonly from_agent: string;
  readonly to_agent: string;
  readonly topic: string;
  readonly kind: string;
  readonly family: string;
  readonly action: string;
  readonly intent_type: string;
  readonly state: string;
  readonly cancelled: number;
}

export interface BusTask {
  readonly kind: string;
  readonly state: string;
  readonly idempotency_key: string;
  readonly created: number;
}

/** What the session database says, or why it says nothing. */
export type Bus =
  | { readonly ok: true; readonly events: readonly BusEvent[]; readonly tasks: readonly BusTask[] }
  | { readonly ok: false; readonly reason: string };

const MAX_BYTES = 2 * 1024 * 1024 * 1024;
/** Larger databases are read from a copy on disk instead of from memory. */
const MAX_IN_MEMORY_BYTES = 64 * 1024 * 1024;
/** The Coordinator keeps 5000 events and the open proposals. */
const MAX_EVENTS = 20_000;
const MAX_TASKS = 20_000;
const TOPICS = ['event', 'observation', 'delegated_result'] as const;

/** Reads the session database without touching it: from memory, or from a private copy when it is large or has a log. */
export async function readBus(path: string): Promise<Bus> {
  const file = await stat(path).catch(() => null);
  if (file === null || !file.isFile()) return { ok: false, reason: 'no coordinator.db' };
  if (file.size > MAX_BYTES) return { ok: false, reason: `coordinator.db is larger than ${MAX_BYTES} bytes` };
  try {
    const log = await stat(`${path}-wal`).catch(() => null);
    const logged = log !== null && log.size > 0;
    return logged || file.size > MAX_IN_MEMORY_BYTES
      ? await readCopy(path, logged)
      : await readFromMemory(path);
  } catch (error) {
    return {
      ok: false,
      reason: `coordinator.db is unreadable: ${error instanceof Error ? error.message : 'unknown'}`,
    };
  }
}

async function readFromMemory(path: string): Promise<Bus> {
  const image = await readFile(path);
  // A database in memory has no log: mark the image as one that never had it (SQLite file format, bytes 18 and 19).
  if (image.length > 19) image.fill(1, 18, 20);
  return query(await open(image));
}

async function readCopy(path: string, logged: boolean): Promise<Bus> {
  const directory = await mkdtemp(join(tmpdir(), 'rx-bus-'));
  try {
    const copy = join(directory, 'coordinator.db');
    await copyFile(path, copy);
    if (logged) await copyFile(`${path}-wal`, `${copy}-wal`);
    return query(await open(copy));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const EVENT_SQL = `
  WITH chosen AS (
    SELECT seq, ts, from_agent, to_agent, topic, CASE WHEN json_valid(payload) THEN payload ELSE '{}' END AS body
    FROM events WHERE topic IN (${TOPICS.map(() => '?').join(', ')}) ORDER BY seq DESC LIMIT ${MAX_EVENTS}
  )
  SELECT seq, ts, from_agent, to_agent, topic,
    json_extract(body, '$.kind') AS kind, json_extract(body, '$.family') AS family,
    json_extract(body, '$.action') AS action, json_extract(body, '$.intent_type') AS intent_type,
    json_extract(body, '$.state') AS state, json_array_length(body, '$.cancelled_task_ids') AS cancelled
  FROM chosen ORDER BY seq`;
const TASK_SQL = `SELECT kind, state, idempotency_key, created_at FROM tasks ORDER BY created_at DESC LIMIT ${MAX_TASKS}`;

/** The binding is loaded here, because an installation may lack it. */
async function open(source: Buffer | string): Promise<SqliteDatabase.Database> {
  const { default: Database } = await import('better-sqlite3');
  return new Database(source);
}

function query(database: SqliteDatabase.Database): Bus {
  try {
    const events = database.prepare<unknown[], Record<string, unknown>>(EVENT_SQL).all(...TOPICS);
    const tasks = database.prepare<unknown[], Record<string, unknown>>(TASK_SQL).all();
    return { ok: true, events: events.map(toEvent), tasks: tasks.map(toTask) };
  } finally {
    database.close();
  }
}

function toEvent(row: Record<string, unknown>): BusEvent {
  return {
    seq: numeric(row['seq']),
    timestamp: unixOf(row['ts']),
    from_agent: textual(row['from_agent']),
    to_agent: textual(row['to_agent']),
    topic: textual(row['topic']),
    kind: textual(row['kind']),
    family: textual(row['family']),
    action: textual(row['action']),
    intent_type: textual(row['intent_type']),
    state: textual(row['state']),
    cancelled: numeric(row['cancelled']),
  };
}

function toTask(row: Record<string, unknown>): BusTask {
  return {
    kind: textual(row['kind']),
    state: textual(row['state']),
    idempotency_key: textual(row['idempotency_key']),
    created: unixOf(row['created_at']),
  };
}

function textual(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function numeric(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

function unixOf(value: unknown): number {
  return (typeof value === 'string' ? parseIsoUnix(value) : undefined) ?? Number.NaN;
}
