import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type JsonObject, objectOr } from '../../../src/foreign/json.js';
import type { CoordinatorDb } from '../../../src/runtime/demo/coordinator-db.js';
import { writeGpuTool } from '../../../src/runtime/demo/gpu-tool.js';
import type { SessionBuilder } from '../../../src/runtime/demo/session-builder.js';
import { isoStamp } from '../world/stamps.js';
import type { LabLog, LabTask } from '../world/types.js';
import type { LabWorld } from '../world/world.js';
import { LiveEngine } from './engine.js';

const TRACE_TOOLS = [
  'TraceLens_generate_perf_report_pytorch_inference',
  'TraceLens_generate_perf_report_pytorch',
];

/** The world as files, database rows, executables and processes; brought up to date before every tick. */
export class LiveSession {
  readonly binDir: string;
  readonly #db: CoordinatorDb;
  readonly #engines = new Map<string, LiveEngine>();
  readonly #written = new Map<string, number>();
  #seq = 0;
  #rotations = 0;
  readonly #tasks = new Set<string>();

  constructor(
    private readonly builder: SessionBuilder,
    private readonly world: LabWorld,
  ) {
    this.binDir = join(builder.workspace, 'bin');
    this.#db = builder.database();
    mkdirSync(this.binDir, { recursive: true });
    for (const tool of TRACE_TOOLS) this.#executable(tool, '#!/bin/sh\nexit 0\n');
    builder.lock({ pid: process.pid });
    const manifest = objectOr(world.slots.local_manifest);
    builder.file(
      'manifest.json',
      JSON.stringify({ ...manifest, session_dir: builder.dir, pid: process.pid }),
    );
  }

  async update(): Promise<void> {
    this.#updateBus();
    this.#updateTasks();
    this.#updateLeases();
    for (const log of this.world.logs.values()) this.#updateLog(log);
    this.#updateState();
    writeGpuTool(
      this.binDir,
      this.world.gpus.map(({ junctionC, usedMb }) => ({
        junctionC: junctionC ?? 50,
        vramUsedBytes: Math.round(usedMb * 2 ** 20),
      })),
    );
    await this.#updateServers();
  }

  async end(): Promise<void> {
    await Promise.all([...this.#engines.values()].map((engine) => engine.stop()));
  }

  #updateBus(): void {
    for (const { seq, from, to, topic, payload, msgId, inReplyTo, at } of this.world.bus) {
      if (seq <= this.#seq) continue;
      this.#seq = this.#db.event({ from, to, topic, payload, msgId, inReplyTo, at });
      if (this.#seq !== seq) throw new Error(`row ${seq} of the bus was stored as ${this.#seq}`);
    }
  }

  #updateTasks(): void {
    const update = this.#db.db.prepare('UPDATE tasks SET state = ?, history = ? WHERE task_id = ?');
    for (const task of this.world.tasks) {
      const { id, kind, params, startedAt, state } = task;
      if (!this.#tasks.has(id)) this.#db.task({ id, kind, params, at: startedAt });
      this.#tasks.add(id);
      update.run(state, JSON.stringify(historyOf(task)), id);
    }
  }

  #updateLeases(): void {
    this.#db.db.exec('DELETE FROM leases');
    for (const { taskId, holder, action, lanes, acquiredAt, expiresAt, alive } of this.world.leases) {
      if (alive !== true) throw new Error('leases of dead processes cannot be played live');
      this.#db.lease({
        taskId,
        holder,
        action,
        lanes,
        pid: process.pid,
        acquired: acquiredAt,
        expires: expiresAt,
      });
    }
  }

  /** Appends what is new; a log that has shrunk was rotated, by renaming and by copying in turn. */
  #updateLog(log: LabLog): void {
    const path = this.builder.path(log.name);
    const before = this.#written.get(log.name) ?? 0;
    mkdirSync(dirname(path), { recursive: true });
    if (log.lines.length < before) this.#rotate(path);
    const fresh = log.lines.slice(log.lines.length < before ? 0 : before);
    this.#written.set(log.name, log.lines.length);
    if (fresh.length === 0) return;
    appendFileSync(path, fresh.map(({ text }) => `${text}\n`).join(''));
    const newest = fresh.at(-1)?.at ?? this.world.now;
    utimesSync(path, newest, newest);
  }

  #rotate(path: string): void {
    this.#rotations += 1;
    const old = `${path}.${this.#rotations}`;
    if (this.#rotations % 2 === 1) {
      renameSync(path, old);
      return;
    }
    copyFileSync(path, old);
    truncateSync(path, 0);
  }

  #updateState(): void {
    const { state, coordinator } = this.world;
    const path = this.builder.path('state.json');
    if (!state.valid && state.error === 'missing') {
      rmSync(path, { force: true });
      return;
    }
    const content = {
      deadline_unix: state.deadlineUnix,
      phase: coordinator.phase,
      stop_reason: state.stopReason,
      tick: state.tick,
      history: 'x'.repeat(Math.max(0, state.sizeBytes - 200)),
    };
    const text = JSON.stringify(content, null, 2);
    writeFileSync(path, state.valid ? text : text.slice(0, Math.floor(text.length / 2)));
    utimesSync(path, state.mtime, state.mtime);
  }

  async #updateServers(): Promise<void> {
    for (const { port, cwd } of this.world.processes) {
      const url = `http://127.0.0.1:${port}/health`;
      if (port === undefined || this.#engines.has(url)) continue;
      this.#engines.set(url, await LiveEngine.start(this.binDir, cwd, port));
    }
    for (const [url, engine] of this.#engines) {
      const server = this.world.servers.find((one) => one.url === url);
      if (server !== undefined) await engine.become(server.answer);
      else {
        await engine.stop();
        this.#engines.delete(url);
      }
    }
  }

  #executable(name: string, content: string): void {
    const path = join(this.binDir, name);
    writeFileSync(path, content);
    chmodSync(path, 0o755);
  }
}

function historyOf({ startedAt, progressAt, agent, label }: LabTask): JsonObject[] {
  const started = { from: 'queued', to: 'running', ts: isoStamp(startedAt), evidence: {} };
  if (progressAt === null) return [started];
  const note = { agent, unit: 'variant_step', label, status: 'running' };
  return [started, { progress: note, ts: isoStamp(progressAt) }];
}
