import { isObject, type Json } from '../foreign/json.js';
import type { SlotValues } from './collector.js';

/** Lays parts over each other: where two have an object in a slot their keys are merged, otherwise the later value stands. */
export function mergeSlots(parts: Iterable<SlotValues>): SlotValues {
  const merged: Record<string, Json | undefined> = {};
  for (const part of parts) {
    for (const [slot, value] of Object.entries(part)) {
      const before = merged[slot];
      merged[slot] = isObject(before) && isObject(value) ? { ...before, ...value } : value;
    }
  }
  return merged;
}
