import type { JsonObject } from '../../foreign/json.js';

/** The detector state in memory: slot name to the object that one component owns (spec 01 §7). */
export type Slots = Readonly<Record<string, JsonObject>>;

/** The slots with some replaced. */
export function withSlots(slots: Slots, changed: Slots): Slots {
  return { ...slots, ...changed };
}

/** A slot's object, `{}` without one. */
export function slotOf(slots: Slots, name: string): JsonObject {
  return Object.hasOwn(slots, name) ? (slots[name] ?? {}) : {};
}
