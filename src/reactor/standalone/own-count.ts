import { finiteNumber, type JsonObject, storedInteger, text } from '../../foreign/json.js';

/** Slot of the standalone loop in its state file. */
export const STANDALONE_SLOT = 'standalone';
/** The loop's tick advances at most this often, s, so that waits counted in ticks keep their meaning (spec 01 §1.11). */
const TICK_SECONDS = 60;

/** What the loop remembers of its own. */
export type OwnCount = {
  readonly tick: number;
  /** Unix s at which `tick` last advanced. */
  readonly advanced_unix: number;
  /** What counts as progress of the conversation, as one text. */
  readonly progress_mark: string;
  readonly progress_tick: number;
};

export function parseOwnCount(raw: JsonObject): OwnCount {
  return {
    tick: storedInteger(raw['tick'], 0),
    advanced_unix: finiteNumber(raw['advanced_unix']) ?? 0,
    progress_mark: text(raw['progress_mark']) ?? '',
    progress_tick: storedInteger(raw['progress_tick'], 0),
  };
}

/**
 * The count after one more look.
 *
 * @param mark changes whenever the session makes progress
 */
export function advance(before: OwnCount, mark: string, nowUnix: number): OwnCount {
  const isDue =
    before.tick === 0 || nowUnix - before.advanced_unix >= TICK_SECONDS || nowUnix < before.advanced_unix;
  const tick = isDue ? before.tick + 1 : before.tick;
  const progressed = mark !== before.progress_mark;
  return {
    tick,
    advanced_unix: isDue ? nowUnix : before.advanced_unix,
    progress_mark: mark,
    progress_tick: progressed ? tick : before.progress_tick,
  };
}
