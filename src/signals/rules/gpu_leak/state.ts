import { type JsonObject, objectOr, storedInteger } from '../../../foreign/json.js';

/** Evaluations in a row without an answer, after which what was counted before is forgotten (spec 03 gpu_leak-5). */
const MAX_UNKNOWN = 4;

export type GpuLeakState = JsonObject & {
  /** Evaluations in a row; in device mode the largest of the devices. */
  readonly consecutive_hits: number;
  readonly device_hits: { readonly [gpuId: string]: number };
  readonly unknown_streak: number;
  readonly last_tick: number;
};

export function parseGpuLeakState(raw: JsonObject): GpuLeakState {
  const hits = Object.entries(objectOr(raw['device_hits']));
  return {
    consecutive_hits: counter(raw['consecutive_hits']),
    device_hits: Object.fromEntries(hits.map(([id, count]) => [id, counter(count)])),
    unknown_streak: counter(raw['unknown_streak']),
    last_tick: storedInteger(raw['last_tick'], 0),
  };
}

/** The state after an evaluation that could not see: counts are held for a while. */
export function afterUnknown(state: GpuLeakState, tick: number): GpuLeakState {
  const streak = state.unknown_streak + 1;
  const isForgotten = streak >= MAX_UNKNOWN;
  return {
    consecutive_hits: isForgotten ? 0 : state.consecutive_hits,
    device_hits: isForgotten ? {} : state.device_hits,
    unknown_streak: streak,
    last_tick: tick,
  };
}

function counter(value: unknown): number {
  return Math.max(0, storedInteger(value, 0));
}
