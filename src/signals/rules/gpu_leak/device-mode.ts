import { mayAdvance } from '../../shared/tick-gate.js';
import type { GpuLeakConfig } from './config.js';
import type { JudgedGpu } from './memory.js';
import { afterUnknown, type GpuLeakState } from './state.js';

/** What the holders of each GPU tell. */
export interface DeviceVerdict {
  readonly state: GpuLeakState;
  /** Ids of the GPUs whose memory is held by nobody, for long enough. */
  readonly leakedIds: readonly string[];
  /** Largest count among them. */
  readonly hits: number;
  /** True when some suspect could not be looked at. */
  readonly isUndecided: boolean;
}

/** Judges each GPU by who holds its memory; the process list plays no part (spec 03 gpu_leak-3). */
export function judgeDevices(
  gpus: readonly JudgedGpu[],
  state: GpuLeakState,
  tick: number,
  config: GpuLeakConfig,
): DeviceVerdict {
  const verdicts = gpus.map((gpu) => ({
    gpu,
    leaks: holdsMemoryOfNobody(gpu, config.gpu_leak_orphan_min_share),
  }));
  if (verdicts.every(({ leaks }) => leaks === undefined)) {
    return { state: afterUnknown(state, tick), leakedIds: [], hits: 0, isUndecided: true };
  }
  const step = mayAdvance(tick, state.last_tick) ? 1 : 0;
  const counts = verdicts.map(({ gpu, leaks }) => {
    const before = state.device_hits[gpu.id] ?? 0;
    return { id: gpu.id, leaks, count: leaks === undefined ? before : leaks ? before + step : 0 };
  });
  const leaked = counts.filter(({ leaks, count }) => leaks && count >= config.gpu_leak_min_consecutive_ticks);
  return {
    state: {
      consecutive_hits: Math.max(...counts.map(({ count }) => count)),
      device_hits: Object.fromEntries(counts.map(({ id, count }) => [id, count])),
      unknown_streak: 0,
      last_tick: tick,
    },
    leakedIds: leaked.map(({ id }) => id),
    hits: Math.max(0, ...leaked.map(({ count }) => count)),
    isUndecided: leaked.length === 0 && counts.some(({ leaks, count }) => leaks === undefined && count > 0),
  };
}

/** Undefined: not known, because the device cannot be read or the list of its holders is not proved complete. */
function holdsMemoryOfNobody(gpu: JudgedGpu, minShare: number): boolean | undefined {
  const holders = gpu.entry['holders'];
  if (gpu.hasError || !gpu.vram || !Array.isArray(holders)) return undefined;
  return holders.length === 0 && gpu.vram.usedMb / gpu.vram.totalMb >= minShare;
}
