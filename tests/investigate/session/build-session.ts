import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { DEFAULT_CONFIG } from '../../../src/investigate/config.js';
import type { HealResult } from '../../../src/investigate/model/heal-result.js';
import type { Question } from '../../../src/investigate/question.js';
import { investigate } from '../../../src/investigate/run.js';
import { createRedactor } from '../../../src/investigate/safety/redactor.js';
import { createArtefacts } from '../../../src/investigate/store/artefacts.js';
import { investigationsDirectory } from '../../../src/investigate/store/paths.js';
import type { SnapshotReading } from '../../../src/investigate/tools/session/abnormal.js';
import { openSessionFiles } from '../../../src/investigate/tools/session/session.js';
import { sessionTools } from '../../../src/investigate/tools/session/session-tools.js';
import type { Tool } from '../../../src/investigate/tools/tool.js';
import { sessionDatabase } from '../../../src/runtime/investigate/session-database.js';

/** Time of everything that goes wrong in a made-up session. */
export const INCIDENT = 1_780_000_000;

export interface TaskRow {
  readonly id: string;
  readonly state: 'failed' | 'running' | 'succeeded' | 'cancelled';
  readonly at: number;
  /** `error` of the last history entry. */
  readonly error?: string;
  readonly reason?: string;
}
export interface EventRow {
  readonly taskId: string;
  readonly at: number;
  readonly state: string;
  readonly error?: unknown;
  readonly agent?: string;
}
export interface SessionParts {
  readonly tasks?: readonly TaskRow[];
  readonly events?: readonly EventRow[];
  /** Path to lines, or to lines with their time of change. */
  readonly files?: Readonly<Record<string, string>>;
  readonly mtime?: number;
}

export interface BuiltSession {
  readonly directory: string;
  tools(): Tool[];
  ask(question: Partial<Question>): Promise<HealResult>;
  close(): void;
}

/** A stamp as servers log it. */
export function stamp(unix: number): string {
  return `${new Date(unix * 1000).toISOString().slice(0, 19)}Z`;
}

/** A session directory with a real database beside its files. */
export function buildSession({
  tasks = [],
  events = [],
  files = {},
  mtime = INCIDENT,
}: SessionParts): BuiltSession {
  const directory = mkdtempSync(join(tmpdir(), 'session-'));
  mkdirSync(join(directory, 'storage'));
  const db = new Database(join(directory, 'storage', 'coordinator.db'));
  db.exec(`
    CREATE TABLE events (seq INTEGER PRIMARY KEY, msg_id TEXT, from_agent TEXT, to_agent TEXT, topic TEXT, in_reply_to TEXT, payload TEXT, priority INTEGER, ts TEXT);
    CREATE TABLE tasks (task_id TEXT, kind TEXT, state TEXT, params TEXT, idempotency_key TEXT, requires_lanes TEXT, side_effects TEXT, lease_ttl_sec REAL, history TEXT, created_at TEXT, updated_at TEXT);
    CREATE TABLE leases (lane TEXT, holder_id TEXT, task_id TEXT, action TEXT, pid INTEGER, acquired_at TEXT, expires_at TEXT, heartbeat_at TEXT);`);
  const addTask = db.prepare(
    'INSERT INTO tasks (task_id, kind, state, history, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)',
  );
  for (const { id, state, at, error, reason } of tasks) {
    const history = JSON.stringify([
      { from: 'running', to: state, ts: stamp(at), evidence: { error, reason } },
    ]);
    addTask.run(id, 'explore', state, history, stamp(at - 60), stamp(at));
  }
  const addEvent = db.prepare(
    'INSERT INTO events (seq, msg_id, from_agent, to_agent, topic, payload, ts) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  for (const [index, { taskId, at, state, error = null, agent = 'kernel' }] of events.entries()) {
    const payload = JSON.stringify({ task_id: taskId, kind: 'explore', state, result: {}, error });
    addEvent.run(index + 1, `m${index}`, agent, 'coordinator', 'delegated_result', payload, stamp(at));
  }
  db.close();
  for (const [path, content] of Object.entries(files)) {
    const full = join(directory, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, content);
    utimesSync(full, mtime, mtime);
  }
  const tools = (): Tool[] => {
    const opened = openSessionFiles(directory, 's-1');
    if (opened === undefined) throw new Error('no session');
    return sessionTools(opened, sessionDatabase(opened.root), 0);
  };
  let runs = 0;
  return {
    directory,
    tools,
    async ask(question) {
      runs += 1;
      const id = `inv-${INCIDENT}-${String(runs).padStart(8, '0')}`;
      return investigate({
        investigationId: id,
        question: {
          text: 'something failed',
          symptom: 'local_server_unreachable',
          subject: {},
          key: null,
          serviceName: null,
          traceId: null,
          windowMinutes: 10,
          incidentUnix: INCIDENT + 20,
          snapshot: null,
          ...question,
        },
        tools: tools(),
        trees: async () => [],
        redactor: createRedactor([]),
        artefacts: createArtefacts(investigationsDirectory(directory), id, 50),
        config: DEFAULT_CONFIG,
        now: () => INCIDENT + 60,
        signal: new AbortController().signal,
        warnings: [],
      });
    },
    close: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** A reading of a machine on which nothing is out of order. */
export function healthyReading(change: Partial<SnapshotReading> = {}): SnapshotReading {
  return {
    taken_unix: INCIDENT + 10,
    gpu: { gpus: [{ gpu_id: 3, vram_used_mb: 1000, vram_total_mb: 64_000 }] },
    processes: [],
    disk: { '/': { used_pct: 40 }, '/dev/shm': { used_pct: 10, roles: ['shm'] } },
    fd: { pid: 1, used_pct: 3 },
    memory: { total_mb: 64_000, available_mb: 40_000 },
    server_health: [{ url: 'http://127.0.0.1:8000/health', reachable: true, status: 'ok' }],
    gateway: {},
    ...change,
  };
}
