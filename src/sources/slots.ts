import { isObject, type Json } from '../foreign/json.js';
import type { SlotValues } from './collector.js';

/** Puts `added` over `base`: where both have an object in a slot their keys are merged, otherwise the added value stands. */
export function mergeSlots(base: SlotValues, added: SlotValues): SlotValues {
  const merged: Record<string, Json | undefined> = { ...base };
  for (const [slot, value] of Object.entries(added)) {
    const before = merged[slot];
    merged[slot] = isObject(before) && isObject(value) ? { ...before, ...value } : value;
  }
  return merged;
}
