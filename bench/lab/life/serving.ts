import type { LabWorld } from '../world/world.js';

export type EngineKind = 'sglang' | 'vllm';

/** An inference server of the session: process, endpoint, log and what it holds on the GPUs. */
export class LabEngine {
  readonly pid: number;
  readonly url: string;
  readonly log: string;
  readonly startedAt: number;
  /** When it will have loaded, unix s. */
  readyAt: number;
  isReady = false;
  /** Share of the GPUs' memory that it takes. */
  share: number;
  /** What its statistics lines say while it serves; null: it writes none. */
  load: { running: number; waiting: number; tokensPerS: number } | null = null;

  constructor(
    private readonly world: LabWorld,
    readonly kind: EngineKind,
    readonly directory: string,
    readonly port: number,
    loadMinutes: number,
  ) {
    const { random, now, sessionDir } = world;
    this.pid = world.newPid();
    this.url = `http://127.0.0.1:${port}/health`;
    this.log = `${directory}/server.log`;
    this.startedAt = now;
    this.readyAt = now + loadMinutes * 60;
    this.share = random.between(0.86, 0.93);
    const cwd = `${sessionDir}/${directory}`;
    const cmd =
      kind === 'sglang'
        ? `python3 -m sglang.launch_server --model-path /srv/models/${world.coordinator.model} --port ${port} --tp 8`
        : `python3 -m vllm.entrypoints.openai.api_server --model /srv/models/${world.coordinator.model} --port ${port} -tp 8`;
    world.processes.push({ pid: this.pid, cmd, cwd, isServer: true, owned: true, startedAt: now, port });
    world.servers.push({ url: this.url, pid: this.pid, answer: 'refused' });
    world.log(
      this.log,
      `${this.stamp()} server_args=ServerArgs(port=${port}, tp_size=8, mem_fraction_static=0.88)`,
    );
  }

  /** One minute of serving: loading, then statistics, heat and memory. */
  minute(): void {
    const { world } = this;
    const { random, now } = world;
    if (!this.isReady && now >= this.readyAt) {
      this.isReady = true;
      this.answer('ok');
      world.log(this.log, `${this.stamp()} The server is fired up and ready to roll!`);
    }
    const loaded = Math.min(1, (now - this.startedAt) / Math.max(60, this.readyAt - this.startedAt));
    this.occupy(this.share * Math.max(0.06, loaded));
    if (!this.isReady) {
      const shard = Math.round(loaded * 48);
      world.log(
        this.log,
        `${this.stamp()} Loading safetensors checkpoint shards: ${shard}/48 [${Math.round(loaded * 100)}%]`,
      );
      return;
    }
    if (this.load === null) return;
    for (const at of [now - 40, now - 10]) world.log(this.log, this.statistics(at, random.between(0.9, 1.1)));
  }

  statistics(at: number, factor: number): string {
    const { running, waiting, tokensPerS } = this.load ?? { running: 0, waiting: 0, tokensPerS: 0 };
    const rate = (tokensPerS * factor).toFixed(1);
    const stamp = stampOf(at, this.kind);
    return this.kind === 'sglang'
      ? `${stamp} Decode batch. #running-req: ${running}, #token: ${running * 911}, token usage: 0.42, cuda graph: True, gen throughput (token/s): ${rate}, #queue-req: ${waiting}`
      : `${stamp} [loggers.py:127] Engine 000: Avg prompt throughput: ${(Number(rate) / 3).toFixed(1)} tokens/s, Avg generation throughput: ${rate} tokens/s, Running: ${running} reqs, Waiting: ${waiting} reqs, GPU KV cache usage: 41.7%`;
  }

  answer(answer: 'ok' | 'refused' | 'timeout' | 'http_500'): void {
    const server = this.world.servers.find(({ url }) => url === this.url);
    if (server !== undefined) server.answer = answer;
  }

  /** Its memory and warmth on every visible GPU. */
  occupy(share: number): void {
    const { world } = this;
    for (const gpu of world.gpus) {
      gpu.usedMb = gpu.totalMb * share;
      const busy = this.load !== null && this.load.tokensPerS > 0;
      gpu.utilPct = busy ? Math.round(world.random.between(72, 100)) : 0;
      if (gpu.junctionC !== null)
        gpu.junctionC = Math.round(busy ? world.random.between(64, 91) : world.random.between(44, 60));
      if (gpu.memoryC !== null)
        gpu.memoryC = Math.round(busy ? world.random.between(58, 86) : world.random.between(38, 52));
      gpu.holders = [
        {
          pid: this.pid,
          vram_mb: gpu.usedMb,
          cmd: 'sglang::scheduler',
          session_owned: true,
          owner_session: null,
          owner_session_alive: null,
        },
      ];
    }
  }

  /** Ends the process; its memory goes with it unless it leaks. */
  stop({ leaks = false } = {}): void {
    const { world } = this;
    world.processes = world.processes.filter(({ pid }) => pid !== this.pid);
    world.servers = world.servers.filter(({ url }) => url !== this.url);
    for (const gpu of world.gpus) {
      gpu.holders = [];
      gpu.utilPct = 0;
      if (gpu.junctionC !== null) gpu.junctionC = Math.round(world.random.between(40, 55));
      if (!leaks) gpu.usedMb = world.random.between(280, 420);
    }
  }

  stamp(): string {
    return stampOf(this.world.now, this.kind);
  }
}

function stampOf(unix: number, kind: EngineKind): string {
  const iso = new Date(unix * 1000).toISOString();
  return kind === 'sglang'
    ? `[${iso.slice(0, 10)} ${iso.slice(11, 19)} TP0]`
    : `INFO ${iso.slice(5, 10)} ${iso.slice(11, 19)}`;
}
