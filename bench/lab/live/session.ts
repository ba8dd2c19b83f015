import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Json, objectOr } from '../../../src/foreign/json.js';
import type { SessionBuilder } from '../../../src/runtime/demo/session-builder.js';
import type { LabWorld } from '../world/world.js';
import { LiveClient } from './client.js';
import { LiveDatabase } from './database.js';
import { LiveEngine } from './engine.js';
import { LiveFiles } from './files.js';
import { withFileSystems } from './full-disk.js';
import { LiveGateway } from './gateway.js';
import { unplayable } from './playable.js';
import { LiveTools } from './tools.js';

/** The world as files, database rows, executables, servers and processes; brought up to date before every tick. */
export class LiveSession {
  readonly binDir: string;
  readonly #database: LiveDatabase;
  readonly #files: LiveFiles;
  readonly #tools: LiveTools;
  readonly #gateway: LiveGateway;
  readonly #engines = new Map<string, LiveEngine>();
  readonly #clients = new Map<number, LiveClient>();
  readonly #pids = new Map<number, number>();
  readonly #manifest: Json;
  readonly #startUnix: number;

  constructor(
    builder: SessionBuilder,
    private readonly world: LabWorld,
  ) {
    this.binDir = join(builder.workspace, 'bin');
    mkdirSync(this.binDir, { recursive: true });
    this.#database = new LiveDatabase(builder.path('storage', 'coordinator.db'), world);
    this.#files = new LiveFiles(builder, world);
    this.#tools = new LiveTools(this.binDir, world, (pid) => this.#pids.get(pid));
    this.#gateway = new LiveGateway(world);
    this.#startUnix = world.now;
    this.#manifest = structuredClone(world.slots.local_manifest);
    builder.lock({ pid: process.pid });
    const manifest = { ...objectOr(this.#manifest), session_dir: builder.dir, pid: process.pid };
    builder.file('manifest.json', JSON.stringify(manifest));
  }

  /** What a tick of this session needs in its environment beyond the machine's own; the path comes first. */
  env(path: string): Record<string, string> {
    return { ...this.#gateway.env, PATH: `${this.binDir}:${path}` };
  }

  /** What has to stand before the command of a tick. */
  prefix(): string[] {
    return withFileSystems(this.world);
  }

  async update(): Promise<void> {
    const cannot = unplayable(this.world, this.#startUnix, this.#manifest);
    if (cannot.length > 0) throw new Error(`this cannot be played live: ${cannot.join(', ')}`);
    this.#database.update();
    this.#files.update();
    await this.#updateServers();
    await this.#updateClients();
    await this.#gateway.update();
    this.#tools.update();
  }

  async end(): Promise<void> {
    await Promise.all([
      ...[...this.#engines.values(), ...this.#clients.values()].map((child) => child.stop()),
      this.#gateway.end(),
    ]);
    this.#database.end();
  }

  async #updateServers(): Promise<void> {
    for (const { port, cwd, pid } of this.world.processes) {
      const url = `http://127.0.0.1:${port}/health`;
      if (port === undefined || this.#engines.has(url)) continue;
      const engine = await LiveEngine.start(this.binDir, cwd, port);
      this.#engines.set(url, engine);
      this.#pids.set(pid, engine.pid);
    }
    const living = new Set(this.world.processes.map(({ port }) => `http://127.0.0.1:${port}/health`));
    for (const [url, engine] of this.#engines) {
      const server = this.world.servers.find((one) => one.url === url);
      if (server !== undefined && living.has(url)) await engine.become(server.answer);
      else {
        await engine.stop();
        this.#engines.delete(url);
      }
    }
  }

  async #updateClients(): Promise<void> {
    const clients = this.world.processes.filter(({ isServer, port }) => !isServer && port === undefined);
    for (const { pid, cmd, cwd } of clients) {
      if (this.#clients.has(pid)) continue;
      const client = await LiveClient.start(this.binDir, cmd, cwd);
      this.#clients.set(pid, client);
      this.#pids.set(pid, client.pid);
    }
    for (const [pid, client] of this.#clients) {
      if (clients.some((one) => one.pid === pid)) continue;
      await client.stop();
      this.#clients.delete(pid);
    }
  }
}
