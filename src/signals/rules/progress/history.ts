import { finiteNumber, type JsonObject, listOr, storedInteger } from '../../../foreign/json.js';
import type { SharedState } from '../../../reactor/context.js';

/** Samples kept at least, whatever the window. */
const MIN_KEPT = 32;
/** Without ticks a sample is taken this often, s. */
const UNTICKED_INTERVAL_S = 60;

export type ProgressState = JsonObject & {
  /** Validated gain per sample, %. */
  readonly gain_history: readonly number[];
  /** Unix s per sample; null = unknown. */
  readonly gain_times: readonly (number | null)[];
  readonly last_tick: number;
  readonly macro_cycle: number;
};

/** Restores the state; what is cut to the window happens when a sample is added (spec 03 §14, progress-1, progress-4). */
export function parseProgressState(raw: JsonObject): ProgressState {
  const history = listOr(raw['gain_history']);
  const times = listOr(raw['gain_times']);
  const isTimed = times.length === history.length;
  const samples = history.flatMap((value, index) => {
    const gain = finiteNumber(value);
    return gain === undefined ? [] : [{ gain, unix: isTimed ? (finiteNumber(times[index]) ?? null) : null }];
  });
  return {
    gain_history: samples.map(({ gain }) => gain),
    gain_times: samples.map(({ unix }) => unix),
    last_tick: storedInteger(raw['last_tick'], -1),
    macro_cycle: storedInteger(raw['macro_cycle'], 0),
  };
}

/** The state after this evaluation: a new macro cycle starts a new history, a new tick adds one sample (spec 03 §14). */
export function withSample(
  before: ProgressState,
  shared: SharedState,
  now: number,
  window: number,
): ProgressState {
  const isNewCycle = shared.macro_cycle !== before.macro_cycle;
  const isRestarted = shared.tick > 0 && shared.tick < before.last_tick;
  const base: ProgressState =
    isNewCycle || isRestarted
      ? { ...before, gain_history: [], gain_times: [], macro_cycle: shared.macro_cycle }
      : before;
  if (!isRestarted && !isDue(base, shared.tick, now)) return base;
  const kept = Math.max(window, MIN_KEPT);
  return {
    gain_history: [...base.gain_history, shared.cumulative_gain_validated].slice(-kept),
    gain_times: [...base.gain_times, now].slice(-kept),
    last_tick: shared.tick,
    macro_cycle: base.macro_cycle,
  };
}

function isDue(state: ProgressState, tick: number, now: number): boolean {
  if (tick > state.last_tick) return true;
  if (tick > 0 || tick !== state.last_tick) return false;
  const last = state.gain_times.at(-1);
  return typeof last === 'number' && now - last >= UNTICKED_INTERVAL_S;
}
