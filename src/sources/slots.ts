import { isObject, type Json } from '../foreign/json.js';
import type { SlotValues } from './collector.js';

/** Lays parts over each other: where two have an object in a slot their keys are merged, otherwise the later value stands. */
export function mergeSlots(parts: Iterable<SlotValues>): SlotValues {
  const merged: Record<string, Json | undefined> = {};
  for (const part of parts) {
    const values: Readonly<Record<string, Json | undefined>> = part;
    // A loop over names: pairs would be made for hundreds of slots at every tick.
    for (const slot in values) {
      const value = values[slot];
      const before = merged[slot];
      merged[slot] = isObject(before) && isObject(value) ? { ...before, ...value } : value;
    }
  }
  return merged;
}
