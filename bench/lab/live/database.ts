import { spawnSync } from 'node:child_process';
import { closeSync, fstatSync, openSync, rmSync, writeSync } from 'node:fs';
import type { JsonObject } from '../../../src/foreign/json.js';
import { CoordinatorDb } from '../../../src/runtime/demo/coordinator-db.js';
import { isoStamp } from '../world/stamps.js';
import type { LabTask } from '../world/types.js';
import type { LabWorld } from '../world/world.js';

/** Bytes of the first page, which a damaged database keeps. */
const PAGE = 4096;

/** The Coordinator's database with a live writer, and with whatever befalls it. */
export class LiveDatabase {
  #db: CoordinatorDb | null;
  #status: LabWorld['dbStatus'] = 'ok';
  #seq = 0;
  readonly #tasks = new Set<string>();
  #deadPid: number | null = null;

  constructor(
    private readonly path: string,
    private readonly world: LabWorld,
  ) {
    this.#db = new CoordinatorDb(path);
  }

  update(): void {
    const { dbStatus } = this.world;
    if (dbStatus !== this.#status) this.#become(dbStatus);
    if (this.#db === null || dbStatus !== 'ok') return;
    this.#updateBus(this.#db);
    this.#updateTasks(this.#db);
    this.#updateLeases(this.#db);
  }

  end(): void {
    this.#db?.close();
    this.#db = null;
  }

  #become(status: LabWorld['dbStatus']): void {
    this.end();
    this.#status = status;
    if (status === 'ok') this.#db = new CoordinatorDb(this.path);
    else if (status === 'locked') this.#lock();
    else if (status === 'corrupt') this.#damage();
    else this.#replace(status);
  }

  /** Everybody else has to wait, as while a copy is made. */
  #lock(): void {
    const db = new CoordinatorDb(this.path);
    db.db.pragma('locking_mode = EXCLUSIVE');
    db.db.exec('BEGIN EXCLUSIVE');
    this.#db = db;
  }

  /** All pages but the first one are lost. */
  #damage(): void {
    const fd = openSync(this.path, 'r+');
    try {
      const { size } = fstatSync(fd);
      writeSync(fd, Buffer.alloc(Math.max(0, size - PAGE), 0xa5), 0, undefined, PAGE);
    } finally {
      closeSync(fd);
    }
  }

  #replace(status: 'foreign' | 'missing'): void {
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${this.path}${suffix}`, { force: true });
    this.#seq = 0;
    this.#tasks.clear();
    if (status === 'missing') return;
    const db = new CoordinatorDb(this.path);
    db.db.exec(
      'DROP TABLE events; DROP TABLE tasks; CREATE TABLE messages (n INTEGER PRIMARY KEY, body TEXT)',
    );
    this.#db = db;
  }

  #updateBus(db: CoordinatorDb): void {
    for (const { seq, from, to, topic, payload, msgId, inReplyTo, at } of this.world.bus) {
      if (seq <= this.#seq) continue;
      this.#seq = db.event({ from, to, topic, payload, msgId, inReplyTo, at });
      if (this.#seq !== seq) throw new Error(`row ${seq} of the bus was stored as ${this.#seq}`);
    }
  }

  #updateTasks(db: CoordinatorDb): void {
    const update = db.db.prepare('UPDATE tasks SET state = ?, history = ? WHERE task_id = ?');
    for (const task of this.world.tasks) {
      const { id, kind, params, startedAt, state } = task;
      if (!this.#tasks.has(id)) db.task({ id, kind, params, at: startedAt });
      this.#tasks.add(id);
      update.run(state, JSON.stringify(historyOf(task)), id);
    }
  }

  #updateLeases(db: CoordinatorDb): void {
    db.db.exec('DELETE FROM leases');
    for (const { taskId, holder, action, lanes, acquiredAt, expiresAt, alive } of this.world.leases) {
      const pid = alive === false ? this.#endedProcess() : process.pid;
      db.lease({ taskId, holder, action, lanes, pid, acquired: acquiredAt, expires: expiresAt });
    }
  }

  /** The pid of a process that has ended. */
  #endedProcess(): number {
    this.#deadPid ??= spawnSync(process.execPath, ['-e', '']).pid;
    return this.#deadPid;
  }
}

function historyOf({ startedAt, progressAt, agent, label }: LabTask): JsonObject[] {
  const started = { from: 'queued', to: 'running', ts: isoStamp(startedAt), evidence: {} };
  if (progressAt === null) return [started];
  const note = { agent, unit: 'variant_step', label, status: 'running' };
  return [started, { progress: note, ts: isoStamp(progressAt) }];
}
