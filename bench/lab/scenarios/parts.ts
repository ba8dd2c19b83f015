import { isObject, type JsonObject } from '../../../src/foreign/json.js';
import { LabEngine } from '../life/serving.js';
import type { Lab } from '../scenario.js';
import type { DirectSlot } from '../world/types.js';

/** A session that something watches every few minutes, whose Coordinator has patience. */
export const STEADY = { cadence: 'steady', pause: [3, 7], phase: 'EXPLORE' } as const;

/** As {@link STEADY}, and the server stays between tasks. */
export function keepServer(lab: Lab): void {
  lab.life.reusesServer = true;
  patience(lab);
}

/** A host whose no-progress limit fits how often it ticks. */
export function patience(lab: Lab): void {
  lab.world.coordinator.progressThreshold = 90;
}

/** A minute somewhere in the first two hours. */
export function someMinute(lab: Lab, low = 55, high = 110): number {
  return Math.round(lab.random.between(low, high));
}

/** Changes keys of a slot. */
export function patch(lab: Lab, slot: DirectSlot, keys: JsonObject): void {
  const before = lab.world.slots[slot];
  lab.world.slots[slot] = { ...(isObject(before) ? before : {}), ...keys };
}

/** A server that has long been up, with requests on it. */
export function runningEngine(lab: Lab, kind: 'sglang' | 'vllm' = 'sglang'): LabEngine {
  const engine = new LabEngine(lab.world, kind, 'runs/explore/warm0', lab.random.whole(20_000, 32_000), 0);
  engine.isReady = true;
  engine.readyAt = lab.world.now;
  engine.answer('ok');
  engine.load = {
    running: lab.random.whole(20, 90),
    waiting: lab.random.whole(0, 30),
    tokensPerS: lab.random.between(900, 4200),
  };
  lab.life.engine = engine;
  keepServer(lab);
  return engine;
}

/** Eight boards as nvidia-smi lists them: one temperature, memory in whole MiB. */
export function nvidiaNode(lab: Lab): void {
  lab.world.gpuTool = 'nvidia-smi';
  for (const gpu of lab.world.gpus) {
    gpu.totalMb = 81_559;
    gpu.junctionC = null;
    gpu.memoryC = null;
    gpu.edgeC = 58;
    gpu.extra = { vendor: 'nvidia' };
  }
}

/** The server that runs now, if any. */
export function engineLog(lab: Lab): string {
  return lab.life.engine?.log ?? 'runs/explore/last/server.log';
}

/** A verdict of the policy that goes back to who asked. */
export function deny(lab: Lab, agent: string, rule: string, reason: string, intentType = 'delegate'): void {
  const payload = { kind: 'policy_denied', intent_type: intentType, rule, hint: null, reason };
  lab.world.tell('observation', payload, { to: agent, ago: lab.random.whole(1, 50) });
}

/** A path on the machine as `mounts` lists it. */
export function mount(lab: Lab, keys: JsonObject): void {
  const usual = {
    env_name: 'INFERENCEX_PATH',
    path: '/srv/inferencex',
    ok: true,
    error: null,
    latency_ms: 4.1,
    timeout_ms: 5000,
  };
  patch(lab, 'local_external_deps', { mounts: [{ ...usual, ...keys }] });
}

/** The gateway as it was found, with the streak that the collector would have counted. */
export function gateway(lab: Lab, keys: JsonObject): void {
  patch(lab, 'local_external_deps', {
    gateway: { url: 'https://gw.lab.invalid/v1/models', reachable: true, authenticated: true, ...keys },
  });
}

/** A recorded kernel attempt in wire shape. */
export function attempt(lab: Lab, keys: JsonObject): JsonObject {
  return {
    kernel_id: '',
    backend: 'geak',
    report_text: '',
    microbench_speedup: null,
    ts: lab.world.now,
    source_file: 'kernel-agent/runs/a/optimization_attempts.jsonl',
    status: 'completed',
    timed_out: false,
    ...keys,
  };
}

/** A recorded integrate decision in wire shape. */
export function integrated(lab: Lab, keys: JsonObject): JsonObject {
  return {
    kernel_id: 'k',
    task_id: '',
    decision: 'KEEP',
    gain_pct: 2.3,
    base_tput: null,
    new_tput: 2415.7,
    patch_path: 'patches/k.diff',
    patch_size_bytes: 3120,
    patch_exists: true,
    dispatched_count: null,
    result_path: `state.json#${String(keys['kernel_id'] ?? 'k')}`,
    mtime: lab.world.now - 60,
    origin: 'state',
    ...keys,
  };
}

/** The agents were silent because the tick loop waited for a task; once it is over they go on. */
export function speakAfterwards(lab: Lab): void {
  lab.life.onFinish = () => {
    lab.life.speaks.orchestration = true;
    lab.life.speaks.critic = true;
  };
}
