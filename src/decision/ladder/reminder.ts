import type { JsonObject } from '../../foreign/json.js';
import type { Severity } from '../../signals/symptom.js';
import type { LadderConfig } from './config.js';
import { silenceOfEntry } from './evaluation.js';
import { parseSlot, type Remedy } from './slot.js';

/** What the ladder remembers of one key, for people. */
export interface KeyMemory {
  /** Tick of the last emission; null: never emitted, or forgotten. */
  readonly lastTick: number | null;
  /** Last severity emitted in this episode. */
  readonly severity: Severity | null;
  /** Tick at which an unchanged symptom is told again. */
  readonly dueTick: number | null;
  /** Unix s at which it is told again even if that tick has not come; null: only the tick counts. */
  readonly dueUnix: number | null;
  /** Consecutive evaluations at HIGH. */
  readonly confirmations: number;
  readonly remedy: Remedy;
  /** Tick since which it is gone; null while it is present. */
  readonly absentSince: number | null;
}

/** When a key is told again, if it stays as it is (spec 05 A.12.2 step 5); undefined for a key that is not known. */
export function keyMemory(rawSlot: JsonObject, key: string, config: LadderConfig): KeyMemory | undefined {
  const slot = parseSlot(rawSlot);
  const entry = slot.entries.get(key);
  const lastTick = slot.lastEmitted.get(key) ?? null;
  if (entry === undefined && lastTick === null) return undefined;
  const silence = entry === undefined ? config.cooldown_ticks : silenceOfEntry(entry, config);
  const { cooldown_release_s: release, cooldown_ticks: cooldown } = config;
  const emittedUnix = entry?.emittedUnix ?? null;
  return {
    lastTick,
    severity: entry?.severity ?? null,
    dueTick: lastTick === null ? null : lastTick + silence,
    dueUnix:
      emittedUnix === null || release <= 0 || cooldown <= 0
        ? null
        : emittedUnix + (release * silence) / cooldown,
    confirmations: entry?.streak ?? 0,
    remedy: entry?.remedy ?? 'none',
    absentSince: entry?.absentSince ?? null,
  };
}
