import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CoordinatorDb } from './coordinator-db.js';

const SKELETON = [
  ...[
    'storage',
    'personas',
    'checkpoints',
    'kb',
    'findings',
    'reports',
    'kernel-agent-workspace',
    'kernel-agent',
  ],
  ...['patches', 'optimizer_runs', 'agents/orchestration', 'agents/critic', 'agents/robustness'],
  ...['baseline', 'profile', 'backends', 'params', 'sweep', 'integrate', 'kernel_opt'].map(
    (run) => `runs/${run}`,
  ),
];

export interface SessionOptions {
  /** Parent of the workspace; a new temporary directory unless given. */
  readonly parent?: string;
  readonly model?: string;
  readonly name?: string;
}

/** A real session tree as the Coordinator lays it out (spec 02 §7): workspace, session directory, skeleton. */
export class SessionBuilder {
  readonly workspace: string;
  readonly dir: string;
  readonly #temporary: string | null;
  readonly #databases: CoordinatorDb[] = [];

  constructor(options: SessionOptions = {}) {
    const { model = 'Test-Model-8B', name = '20310101T000000Z-0a1b2c3d' } = options;
    this.#temporary =
      options.parent === undefined ? mkdtempSync(join(tmpdir(), 'robustness-session-')) : null;
    this.workspace = join(options.parent ?? this.#temporary ?? '', 'workspace');
    this.dir = join(this.workspace, model, name);
    for (const directory of SKELETON) mkdirSync(join(this.dir, directory), { recursive: true });
    mkdirSync(join(this.workspace, 'optimizer_runs'), { recursive: true });
  }

  /** Absolute path below the session. */
  path(...parts: string[]): string {
    return join(this.dir, ...parts);
  }

  /** Writes a file below the session, with its directories; `mtime` in unix s. */
  file(relative: string, content: string | Buffer, mtime?: number): string {
    return this.#write(this.path(relative), content, mtime);
  }

  /** Writes a file below the workspace. */
  workspaceFile(relative: string, content: string | Buffer, mtime?: number): string {
    return this.#write(join(this.workspace, relative), content, mtime);
  }

  /** `state.json` of a young session, with the given keys over it. */
  state(keys: Readonly<Record<string, unknown>> = {}, mtime?: number): string {
    const state = {
      closing_phase: false,
      crash_count: 0,
      current_action: '',
      deadline_unix: 0,
      max_minutes: 0,
      model_class: 'moe',
      model_name: 'Test-Model-8B',
      phase: 'EXPLORE',
      pruned_families: [],
      schema_version: 5,
      session_id: 'session-under-test',
      start_ts: 0,
      stop_reason: '',
      tick: 1,
      ...keys,
    };
    return this.file('state.json', `${JSON.stringify(state, null, 2)}\n`, mtime);
  }

  /** `manifest.json` with the given keys over the usual ones. */
  manifest(keys: Readonly<Record<string, unknown>> = {}): string {
    const manifest = {
      framework: 'sglang',
      gpu_type: 'MI300X',
      host: hostname(),
      model_name: 'Test-Model-8B',
      pid: process.pid,
      schema_version: 4,
      session_dir: this.dir,
      session_id: 'session-under-test',
      tp: 8,
      user_data_path: this.workspace,
      workload: { isl: 1024, osl: 1024, max_model_len: null, precision: 'fp8', conc: 64 },
      ...keys,
    };
    return this.file('manifest.json', `${JSON.stringify(manifest, null, 2)}\n`);
  }

  /** `runtime/optimizer.lock` of the given owner. */
  lock(owner: { pid: number; host?: string; startedUnix?: number }): string {
    const started = new Date((owner.startedUnix ?? Date.now() / 1000) * 1000).toISOString();
    const body = {
      pid: owner.pid,
      hostname: owner.host ?? hostname(),
      started_at: started,
      heartbeat_at: started,
    };
    return this.file('runtime/optimizer.lock', JSON.stringify(body));
  }

  /** `optimizer_runs/launch_<tag>.json` of the workspace. */
  launch(tag: string, keys: Readonly<Record<string, unknown>> = {}): string {
    const launch = {
      event: 'launched',
      pid: process.pid,
      session_dir: this.dir,
      session_id: 'session-under-test',
      run_log: join(this.workspace, 'optimizer_runs', `run_${tag}.log`),
      manifest: this.path('manifest.json'),
      gpu_type: 'MI300X',
      framework: 'sglang',
      model: 'Test-Model-8B',
      ...keys,
    };
    return this.workspaceFile(`optimizer_runs/launch_${tag}.json`, JSON.stringify(launch));
  }

  /** A writer on `storage/coordinator.db`, open until the session is removed. */
  database(journalMode: 'WAL' | 'DELETE' = 'WAL'): CoordinatorDb {
    const db = new CoordinatorDb(this.path('storage', 'coordinator.db'), journalMode);
    this.#databases.push(db);
    return db;
  }

  /** Closes what is open and removes everything that was created. */
  remove(): void {
    for (const db of this.#databases) db.close();
    rmSync(this.#temporary ?? this.workspace, { recursive: true, force: true });
  }

  #write(path: string, content: string | Buffer, mtime: number | undefined): string {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    if (mtime !== undefined) utimesSync(path, mtime, mtime);
    return path;
  }
}
