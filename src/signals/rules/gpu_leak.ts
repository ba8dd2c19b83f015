import { type JsonObject, objectsOf, text } from '../../foreign/json.js';
import type { Snapshot } from '../../sources/snapshot.js';
import { defineRule, type RuleInput, type RuleOutcome } from '../rule.js';
import { logNumberIn } from '../shared/log-patterns.js';
import { mayAdvance } from '../shared/tick-gate.js';
import type { Symptom } from '../symptom.js';
import { extraOwnerPatterns, type GpuLeakConfig, gpuLeakFields } from './gpu_leak/config.js';
import { judgeDevices } from './gpu_leak/device-mode.js';
import { gpuEvidence, isFull, type JudgedGpu, judgedGpus, reportsActivity } from './gpu_leak/memory.js';
import { afterUnknown, type GpuLeakState, parseGpuLeakState } from './gpu_leak/state.js';

type LeakInput = RuleInput<typeof gpuLeakFields, GpuLeakState>;

/** GPU memory that is held by nobody (spec 03 §9, gpu_leak-1 to -5). */
export const gpuLeak = defineRule({
  name: 'gpu_leak',
  configSlot: 'gpu_leak',
  needs: ['gpu'],
  config: gpuLeakFields,
  state: { slot: 'gpu_leak', parse: parseGpuLeakState },
  symptoms: {
    gpu_memory_leaked: {
      severities: ['high'],
      subjectKeys: [],
      nature: 'state',
      meaning: 'GPU memory stays occupied although no process holds it, as after a crashed server.',
      action: 'Delegate recover with forced GPU cleanup; if that ends in review, propose the final report.',
      explains: [
        { row: 5, explains: ['log_error_pattern'], when: logNumberIn(18, 19, 20, 25) },
        { row: 5, explains: ['local_server_unreachable'], destructive: 'kept' },
      ],
    },
  },
  evaluate(input): RuleOutcome<GpuLeakState> {
    const gpus = judgedGpus(input.snapshot.local_gpu);
    if (gpus.length === 0) return unknown(input);
    return gpus.some(({ entry }) => entry['holders'] !== undefined)
      ? judgeEachDevice(gpus, input)
      : judgeHost(gpus, input);
  },
});

function unknown({ state, context }: LeakInput): RuleOutcome<GpuLeakState> {
  return {
    symptoms: [],
    state: afterUnknown(state, context.shared_state.tick),
    undecided: ['gpu_memory_leaked'],
  };
}

function judgeEachDevice(gpus: readonly JudgedGpu[], input: LeakInput): RuleOutcome<GpuLeakState> {
  const { state, context, config } = input;
  const verdict = judgeDevices(gpus, state, context.shared_state.tick, config);
  const { leakedIds } = verdict;
  return {
    symptoms: leakedIds.length > 0 ? [symptomOf(gpus, 'device', leakedIds, verdict.hits, config)] : [],
    state: verdict.state,
    undecided: verdict.isUndecided ? ['gpu_memory_leaked'] : [],
  };
}

/** Without knowledge of holders: every GPU full, and no process lives that could own the memory. */
function judgeHost(gpus: readonly JudgedGpu[], input: LeakInput): RuleOutcome<GpuLeakState> {
  const { state, context, snapshot, config } = input;
  if (!snapshot.local_processes_known || gpus.some((gpu) => gpu.hasError)) return unknown(input);

  const tick = context.shared_state.tick;
  const pctIsActivity = reportsActivity(snapshot.local_gpu);
  const isHeldByNobody =
    gpus.every((gpu) => isFull(gpu, pctIsActivity, config)) && !ownerLives(snapshot, config);
  const step = mayAdvance(tick, state.last_tick) ? 1 : 0;
  const hits = isHeldByNobody ? state.consecutive_hits + step : 0;
  const isLeak = isHeldByNobody && hits >= config.gpu_leak_min_consecutive_ticks;
  const ids = gpus.map(({ id }) => id);
  return {
    symptoms: isLeak ? [symptomOf(gpus, 'host', ids, hits, config)] : [],
    state: { consecutive_hits: hits, device_hits: {}, unknown_streak: 0, last_tick: tick },
  };
}

function ownerLives(snapshot: Snapshot, config: GpuLeakConfig): boolean {
  const patterns = [...config.gpu_leak_owner_patterns, ...extraOwnerPatterns(config)]
    .filter((pattern) => pattern !== '')
    .map((pattern) => pattern.toLowerCase());
  return objectsOf(snapshot.local_processes).some((process) => {
    const command = (text(process['cmd']) ?? '').toLowerCase();
    return patterns.some((pattern) => command.includes(pattern));
  });
}

function symptomOf(
  gpus: readonly JudgedGpu[],
  mode: 'host' | 'device',
  leakedIds: readonly string[],
  hits: number,
  config: GpuLeakConfig,
): Symptom {
  const evidence: JsonObject = {
    consecutive_hits: hits,
    util_mem_pct_threshold: config.gpu_leak_util_mem_pct_threshold,
    free_mb_threshold: config.gpu_leak_free_mb_threshold,
    gpu_count: gpus.length,
    per_gpu: gpus.map(gpuEvidence),
    owner_patterns: config.gpu_leak_owner_patterns,
    owner_patterns_extra: extraOwnerPatterns(config),
    leaked_gpu_ids: leakedIds,
    mode,
  };
  return {
    name: 'gpu_memory_leaked',
    severity: 'high',
    summary: `${whatLeaks(gpus, mode, leakedIds, config)}: a leak, as after a crashed server (${hits} evaluations in a row)`,
    evidence,
    subject: {},
    source: 'local',
    suggestion:
      'Delegate recover with forced GPU cleanup, and if that ends in review, propose the final report.',
  };
}

function whatLeaks(
  gpus: readonly JudgedGpu[],
  mode: 'host' | 'device',
  leakedIds: readonly string[],
  config: GpuLeakConfig,
): string {
  if (mode === 'device') {
    return `${leakedIds.length} of ${gpus.length} GPUs (${leakedIds.join(', ')}) hold memory that no process holds`;
  }
  return (
    `All ${gpus.length} GPUs are full (>= ${config.gpu_leak_util_mem_pct_threshold} % or <= ` +
    `${config.gpu_leak_free_mb_threshold} MiB free) and no owner lives`
  );
}
