import type { Symptom } from '../../signals/symptom.js';
import { cooldownKey } from '../../signals/symptom.js';
import type { LadderConfig } from './config.js';
import { type Entry, freshEntry, type LadderSlot } from './slot.js';

/** A symptom of this evaluation with its key. */
export interface Listed {
  readonly key: string;
  readonly symptom: Symptom;
}

/** What the steps of one evaluation share (spec 05 A.12.1). */
export interface Evaluation {
  /** T. */
  readonly tick: number;
  /** N, unix s. */
  readonly now: number;
  readonly config: LadderConfig;
  /** The working copy of the slot. */
  readonly slot: LadderSlot;
  /** T equals the tick of the last evaluation: nothing is counted a second time. */
  readonly isRepeated: boolean;
  /** An earlier life of the session may have had this tick: plain idempotency keys were used before. */
  readonly isReplayedTick: boolean;
  readonly listed: readonly Listed[];
}

/** The classifier's list with keys; of several symptoms with one key only the first counts. */
export function withKeys(symptoms: readonly Symptom[]): Listed[] {
  const byKey = new Map<string, Listed>();
  for (const symptom of symptoms) {
    const key = cooldownKey(symptom);
    if (!byKey.has(key)) byKey.set(key, { key, symptom });
  }
  return [...byKey.values()];
}

/** The key's entry, created when there is none. */
export function entryOf(slot: LadderSlot, key: string): Entry {
  const known = slot.entries.get(key);
  if (known !== undefined) return known;
  const entry = freshEntry();
  slot.entries.set(key, entry);
  return entry;
}

/** Ticks for which the entry stays silent; a stored figure never exceeds what the configuration allows. */
export function silenceOfEntry(entry: Entry, config: LadderConfig): number {
  const { cooldown_ticks: cooldown } = config;
  if (cooldown <= 0 || entry.silence === null) return cooldown;
  return Math.min(entry.silence, Math.max(config.reminder_max_ticks, cooldown));
}

/** True when the key has been away for so long that its return is a new episode (spec 05 A.12.2 step 2). */
export function isEpisodeOver(entry: Entry, tick: number, config: LadderConfig): boolean {
  if (entry.absentSince === null) return false;
  return tick - entry.absentSince >= Math.max(silenceOfEntry(entry, config), config.cooldown_ticks);
}
