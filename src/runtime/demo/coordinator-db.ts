import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type SqliteDatabase from 'better-sqlite3';

/** The Coordinator's schema, version 4, statement by statement as its databases hold it (spec 02 §6). */
export const COORDINATOR_SCHEMA = [
  `CREATE TABLE leases (
        lane          TEXT    NOT NULL,
        holder_id     TEXT    NOT NULL,
        task_id       TEXT    NOT NULL,
        action        TEXT    NOT NULL,
        pid           INTEGER NOT NULL,
        acquired_at   TEXT    NOT NULL,
        expires_at    TEXT    NOT NULL,
        heartbeat_at  TEXT    NOT NULL,
        PRIMARY KEY (lane, holder_id)
    )`,
  `CREATE TABLE lane_capacity (
        lane     TEXT PRIMARY KEY,
        capacity INTEGER NOT NULL
    )`,
  `CREATE TABLE events (
        seq           INTEGER PRIMARY KEY AUTOINCREMENT,
        msg_id        TEXT    NOT NULL UNIQUE,
        from_agent    TEXT    NOT NULL,
        to_agent      TEXT    NOT NULL,
        topic         TEXT    NOT NULL,
        in_reply_to   TEXT,
        payload       TEXT    NOT NULL,
        priority      INTEGER NOT NULL,
        ts            TEXT    NOT NULL
    )`,
  `CREATE TABLE cursors (
        agent                 TEXT PRIMARY KEY,
        last_processed_seq    INTEGER NOT NULL,
        last_processed_msg_id TEXT    NOT NULL,
        processed_at          TEXT    NOT NULL
    )`,
  `CREATE TABLE tasks (
        task_id          TEXT PRIMARY KEY,
        kind             TEXT NOT NULL,
        state            TEXT NOT NULL CHECK (state IN
                           ('queued','running','succeeded','failed',
                            'cancelled')),
        params           TEXT NOT NULL,
        idempotency_key  TEXT NOT NULL UNIQUE,
        requires_lanes   TEXT NOT NULL DEFAULT '[]',
        side_effects     TEXT NOT NULL DEFAULT '[]',
        lease_ttl_sec    INTEGER NOT NULL DEFAULT 0,
        history          TEXT NOT NULL DEFAULT '[]',
        created_at       TEXT NOT NULL,
        updated_at       TEXT NOT NULL
    )`,
  `CREATE TABLE gpu_leases (
        gpu_id       INTEGER PRIMARY KEY,
        holder_id    TEXT    NOT NULL,
        task_id      TEXT    NOT NULL,
        acquired_at  TEXT    NOT NULL,
        expires_at   TEXT    NOT NULL,
        heartbeat_at TEXT    NOT NULL
    )`,
  `CREATE TABLE schema_version (
        version    INTEGER PRIMARY KEY,
        applied_at TEXT    NOT NULL
    )`,
  'CREATE INDEX idx_leases_expires ON leases(expires_at)',
  'CREATE INDEX idx_leases_lane ON leases(lane)',
  'CREATE INDEX idx_events_to_agent ON events(to_agent, seq)',
  'CREATE INDEX idx_events_topic ON events(topic, seq)',
  'CREATE INDEX idx_tasks_state ON tasks(state, updated_at)',
  'CREATE INDEX idx_tasks_idem ON tasks(idempotency_key)',
  'CREATE INDEX idx_gpu_leases_expires ON gpu_leases(expires_at)',
];

const LANES = [
  'server_lifecycle',
  'workspace_mutation',
  'benchmark_lane',
  'profile_lane',
  'research_lane',
  'gpu_research_lane',
  'build_lane',
];

export interface EventRow {
  readonly from?: string;
  readonly to?: string;
  readonly topic: string;
  /** An object becomes JSON; text is stored as it is. */
  readonly payload?: unknown;
  readonly msgId?: string;
  readonly inReplyTo?: string | null;
  readonly priority?: number;
  /** Unix s, or text as stored. */
  readonly at?: number | string;
}

export interface TaskRow {
  readonly id?: string;
  readonly kind: string;
  readonly state?: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';
  readonly params?: unknown;
  readonly key?: string;
  readonly lanes?: readonly string[];
  readonly history?: unknown;
  readonly at?: number;
}

export interface LeaseRow {
  readonly lanes: readonly string[];
  readonly holder?: string;
  readonly taskId: string;
  readonly action?: string;
  readonly pid: number;
  readonly acquired: number;
  readonly expires: number;
}

/** Unix s as the Coordinator writes it. */
export function isoStamp(unix: number): string {
  const iso = new Date(Math.floor(unix) * 1000).toISOString().slice(0, 19);
  const micros = Math.round((unix - Math.floor(unix)) * 1e6);
  return `${iso}.${String(micros).padStart(6, '0')}+00:00`;
}

/** 32 hex digits, as message and task ids are. */
export function hexId(): string {
  return randomUUID().replaceAll('-', '');
}

/** A writer on a real database with the Coordinator's schema; it stays open, as the Coordinator's does. */
export class CoordinatorDb {
  readonly path: string;
  readonly db: SqliteDatabase.Database;

  constructor(path: string, journalMode: 'WAL' | 'DELETE' = 'WAL') {
    this.path = path;
    mkdirSync(dirname(path), { recursive: true });
    // Loaded here, because an installation may lack it and the demo says so first.
    const Database: typeof SqliteDatabase = createRequire(import.meta.url)('better-sqlite3');
    this.db = new Database(path);
    this.db.pragma(`journal_mode = ${journalMode}`);
    this.db.pragma('synchronous = OFF');
    const isNew = this.db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'events'").get() === undefined;
    if (isNew) this.#create();
  }

  #create(): void {
    this.db.transaction(() => {
      for (const statement of COORDINATOR_SCHEMA) this.db.exec(statement);
      this.db.exec("INSERT INTO schema_version VALUES (4, datetime('now'))");
      const lane = this.db.prepare('INSERT INTO lane_capacity VALUES (?, 1)');
      for (const name of LANES) lane.run(name);
    })();
  }

  /** @returns the row's `seq` */
  event(row: EventRow): number {
    const { from = 'coordinator', to = '*', topic, payload = {}, msgId = hexId(), inReplyTo = null } = row;
    const at = row.at ?? Date.now() / 1000;
    const result = this.db
      .prepare(
        'INSERT INTO events (msg_id, from_agent, to_agent, topic, in_reply_to, payload, priority, ts) VALUES (?,?,?,?,?,?,?,?)',
      )
      .run(
        msgId,
        from,
        to,
        topic,
        inReplyTo,
        typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload),
        row.priority ?? 1,
        typeof at === 'number' ? isoStamp(at) : at,
      );
    return Number(result.lastInsertRowid);
  }

  /** @returns the task's id */
  task(row: TaskRow): string {
    const {
      id = hexId(),
      kind,
      state = 'running',
      params = {},
      key = hexId(),
      lanes = [],
      history = [],
    } = row;
    const at = isoStamp(row.at ?? Date.now() / 1000);
    this.db
      .prepare(
        `INSERT INTO tasks (task_id, kind, state, params, idempotency_key, requires_lanes, history, created_at, updated_at)
         VALUES (?,?,?,?,?,?,?,?,?)`,
      )
      .run(
        id,
        kind,
        state,
        JSON.stringify(params),
        key,
        JSON.stringify(lanes),
        typeof history === 'string' ? history : JSON.stringify(history),
        at,
        at,
      );
    return id;
  }

  /** Adds a note such as a running step leaves behind. */
  progress(taskId: string, note: unknown, at: number): void {
    const history: unknown = JSON.parse(
      String(this.db.prepare('SELECT history FROM tasks WHERE task_id = ?').pluck().get(taskId)),
    );
    const notes = Array.isArray(history) ? history : [];
    this.db
      .prepare('UPDATE tasks SET history = ? WHERE task_id = ?')
      .run(JSON.stringify([...notes, { progress: note, ts: isoStamp(at) }]), taskId);
  }

  lease(row: LeaseRow): void {
    const insert = this.db.prepare('INSERT INTO leases VALUES (?,?,?,?,?,?,?,?)');
    for (const lane of row.lanes) {
      insert.run(
        lane,
        row.holder ?? 'holder-1',
        row.taskId,
        row.action ?? 'baseline',
        row.pid,
        isoStamp(row.acquired),
        isoStamp(row.expires),
        isoStamp(row.acquired),
      );
    }
  }

  cursor(agent: string, seq: number): void {
    this.db
      .prepare('INSERT OR REPLACE INTO cursors VALUES (?,?,?,?)')
      .run(agent, seq, hexId(), isoStamp(Date.now() / 1000));
  }

  gpuLease(gpuId: number, taskId: string, acquired: number, expires: number): void {
    this.db
      .prepare('INSERT INTO gpu_leases VALUES (?,?,?,?,?,?)')
      .run(gpuId, 'holder-1', taskId, isoStamp(acquired), isoStamp(expires), isoStamp(acquired));
  }

  /** Closes cleanly, which removes the write-ahead log. */
  close(): void {
    this.db.close();
  }
}
