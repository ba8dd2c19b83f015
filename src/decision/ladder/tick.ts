import type { JsonObject } from '../../foreign/json.js';
import type { LadderConfig } from './config.js';
import { parseSlot } from './slot.js';

/**
 * The effective tick T (spec 01 §5.2): the prompt's, else the one after the last evaluated, else the number of this tick
 * in its process.
 */
export function effectiveTick(
  promptTick: number,
  rawSlot: JsonObject,
  config: Pick<LadderConfig, 'tick_counter_persisted'>,
  processTick = 1,
): number {
  if (promptTick > 0) return promptTick;
  if (!config.tick_counter_persisted) return processTick;
  const { lastTick } = parseSlot(rawSlot);
  return lastTick === null ? 1 : lastTick + 1;
}
