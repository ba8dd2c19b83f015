import { appendFileSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Json } from '../../foreign/json.js';
import { type CoordinatorDb, hexId } from './coordinator-db.js';
import { DemoEngine } from './engine.js';
import { writeGpuTool } from './gpu-tool.js';
import type { InboxRow } from './prompt.js';
import { SessionBuilder } from './session-builder.js';

const MODEL_CONFIG = JSON.stringify({
  num_hidden_layers: 48,
  num_key_value_heads: 4,
  head_dim: 128,
  hidden_size: 2048,
});
/** The log that the demo's server writes. */
const SERVER_LOG = 'runs/baseline/b1/server.log';

/** Everything around a session that the scenario changes: the Coordinator's files, its bus, the engine, the GPUs. */
export class DemoWorld {
  readonly session: SessionBuilder;
  readonly db: CoordinatorDb;
  readonly engine: DemoEngine;
  readonly binDir: string;
  /** Unix s of the scene that is being played. */
  now: number;
  #inbox: InboxRow[] = [];

  constructor(parent: string, port: number, startUnix: number) {
    this.session = new SessionBuilder({ parent, model: 'Demo-MoE-30B', name: '20260302T090000Z-demo0001' });
    this.db = this.session.database();
    this.binDir = this.session.workspace.concat('/bin');
    this.engine = new DemoEngine(this.binDir, this.session.path('runs/baseline/b1'), port);
    this.now = startUnix;
    const modelPath = dirname(this.session.workspaceFile('models/Demo-MoE-30B/config.json', MODEL_CONFIG));
    this.session.manifest({ model_path: modelPath, model_name: 'Demo-MoE-30B' });
    this.state();
    this.gpus(61);
  }

  /** `state.json` as the Coordinator rewrites it. */
  state(): void {
    this.session.state({ phase: 'EXPLORE', start_ts: 0 }, this.now);
  }

  /** A `state.json` whose end is missing. */
  truncatedState(): void {
    this.session.file('state.json', '{"phase": "EXPLORE", "explore_search": {"accepted": [', this.now);
  }

  /** Eight GPUs, nearly full, the first at the given temperature. */
  gpus(firstJunctionC: number): void {
    const vramUsedBytes = 196_000_000_000;
    writeGpuTool(
      this.binDir,
      Array.from({ length: 8 }, (_, index) => ({
        junctionC: index === 0 ? firstJunctionC : 63 + index,
        vramUsedBytes,
      })),
    );
  }

  /** Lines at the end of the server's log. */
  log(...lines: readonly string[]): void {
    const path = this.session.path(SERVER_LOG);
    mkdirSync(dirname(path), { recursive: true });
    appendFileSync(path, lines.map((line) => `${line}\n`).join(''));
    utimesSync(path, this.now, this.now);
  }

  /** A message of the Coordinator to everybody, `ago` seconds before the scene; it also comes with the next prompt. */
  tell(topic: string, payload: Json, { from = 'coordinator', to = '*', ago = 30 } = {}): void {
    const msgId = hexId();
    const seq = this.db.event({ from, to, topic, payload, msgId, at: this.now - ago });
    if (to === '*' || to === 'robustness') this.#inbox.push({ seq, msgId, from, topic, payload });
  }

  /** A task with its parameters, and its result on the bus. */
  result(kind: string, params: Json, state: 'succeeded' | 'failed', error: string | null, ago = 30): void {
    const id = this.db.task({ kind, state, params, at: this.now - ago });
    this.tell('delegated_result', { task_id: id, kind, state, result: {}, error }, { ago });
  }

  /** Every agent says something, as in a session that is well. */
  chatter(): void {
    for (const from of ['orchestration', 'critic']) {
      this.tell('heartbeat', { topic: 'heartbeat', body_md: 'nothing to do this turn' }, { from, ago: 20 });
    }
  }

  /** The messages since the last prompt. */
  takeInbox(): InboxRow[] {
    const rows = this.#inbox;
    this.#inbox = [];
    return rows;
  }

  /** A file beside the session, for people to look at. */
  note(name: string, content: string): string {
    const path = this.session.workspace.concat('/', name);
    writeFileSync(path, content);
    return path;
  }
}
