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
  /** Since when the gain has stayed at `flat_gain`, unix s; null = unknown. */
  readonly flat_since: number | null;
  readonly flat_gain: number | null;
  /** When exploring was first seen to have begun, unix s; null = it has not. */
  readonly explore_since: number | null;
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
    flat_since: finiteNumber(raw['flat_since']) ?? null,
    flat_gain: finiteNumber(raw['flat_gain']) ?? null,
    explore_since: finiteNumber(raw['explore_since']) ?? null,
  };
}

/** Notes since when the gain stands and exploring goes on; a clock that was set back begins anew. */
export function withSince(
  state: ProgressState,
  shared: SharedState,
  now: number,
  epsilon: number,
): ProgressState {
  const gain = shared.cumulative_gain_validated;
  const { flat_since: since, flat_gain: level, explore_since: explored } = state;
  const isFlat = since !== null && level !== null && since <= now && Math.abs(gain - level) <= epsilon + 1e-9;
  return {
    ...state,
    flat_since: isFlat ? since : now,
    flat_gain: isFlat ? level : gain,
    explore_since: shared.explore_started ? Math.min(explored ?? now, now) : null,
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
      ? {
          ...before,
          gain_history: [],
          gain_times: [],
          macro_cycle: shared.macro_cycle,
          flat_since: null,
          flat_gain: null,
        }
      : before;
  if (!isRestarted && !isDue(base, shared.tick, now)) return base;
  const kept = Math.max(window, MIN_KEPT);
  return {
    ...base,
    gain_history: [...base.gain_history, shared.cumulative_gain_validated].slice(-kept),
    gain_times: [...base.gain_times, now].slice(-kept),
    last_tick: shared.tick,
  };
}

function isDue(state: ProgressState, tick: number, now: number): boolean {
  if (tick > state.last_tick) return true;
  if (tick > 0 || tick !== state.last_tick) return false;
  const last = state.gain_times.at(-1);
  return typeof last === 'number' && now - last >= UNTICKED_INTERVAL_S;
}
