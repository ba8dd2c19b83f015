import type { LadderConfig } from './config.js';
import type { LadderSlot } from './slot.js';

/**
 * Step 1 (spec 05 A.12.2): recognises a repeated turn, and a smaller tick as a new life, in which nothing stays muted.
 */
export function beginLife(
  slot: LadderSlot,
  tick: number,
  config: LadderConfig,
): { isRepeated: boolean; isReplayedTick: boolean } {
  const isRepeated = tick === slot.lastTick;
  const isBelowHighest =
    slot.maxTick !== null && (tick < slot.maxTick || (tick === slot.maxTick && !isRepeated));
  const isReplayedTick = config.tick_regression_resets && isBelowHighest;
  if (config.tick_regression_resets) {
    if (slot.lastTick !== null && tick < slot.lastTick) forget(slot, tick);
    dropFuture(slot, tick);
  }
  slot.lastTick = tick;
  slot.maxTick = Math.max(slot.maxTick ?? tick, tick);
  return { isRepeated, isReplayedTick };
}

function forget(slot: LadderSlot, tick: number): void {
  slot.lastEmitted.clear();
  slot.entries.clear();
  slot.lastPresent.clear();
  slot.named.clear();
  if (slot.recover !== null) slot.recover = { ...slot.recover, tick };
}

/** What a file without `last_tick`, or a damaged one, claims of ticks that have not come yet would mute until they do. */
function dropFuture(slot: LadderSlot, tick: number): void {
  for (const [key, last] of slot.lastEmitted) {
    if (last <= tick) continue;
    slot.lastEmitted.delete(key);
    slot.entries.delete(key);
  }
  for (const entry of slot.entries.values()) {
    if (entry.peak !== null) entry.peak = Math.min(entry.peak, tick);
    if (entry.absentSince !== null) entry.absentSince = Math.min(entry.absentSince, tick);
  }
  if (slot.recover !== null && slot.recover.tick > tick) slot.recover = { ...slot.recover, tick };
}
