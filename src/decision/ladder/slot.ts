import {
  finiteNumber,
  isObject,
  type Json,
  type JsonObject,
  listOr,
  objectOr,
  storedInteger,
} from '../../foreign/json.js';
import { type Severity, severityRank } from '../../signals/symptom.js';
import { SEVERITIES } from '../vocabulary.js';

/** `held`: a destructive intent waits; `sent`: it went out in this streak. */
export type Remedy = 'none' | 'held' | 'sent';

/** What the ladder remembers of one key (spec 05 A.12.1). */
export interface Entry {
  /** Last emitted in this episode; null before the first emission. */
  severity: Severity | null;
  /** Unix s of that emission. */
  emittedUnix: number | null;
  /** Ticks until the next reminder; null: the configured cooldown. */
  silence: number | null;
  /** Last tick at which that severity or a higher one was present. */
  peak: number | null;
  /** Consecutive evaluations at HIGH, and the tick of the first one. */
  streak: number;
  highSince: number | null;
  /** Consecutive evaluations below HIGH, up to now or up to the streak. */
  below: number;
  remedy: Remedy;
  /** Consecutive evaluations without it, and the tick of the first one. */
  absent: number;
  absentSince: number | null;
  /** An emission at HIGH still lacks its resolved notice. */
  notice: boolean;
  /** Keys that its alerts have listed in this episode. */
  explained: readonly string[];
}

/** Last recover that was sent. */
export interface RecoverMemory {
  readonly tick: number;
  readonly unix: number;
  /** Silence for further recovers, ticks. */
  readonly backoff: number;
}

/** Slot `action_ladder` of the detector state, in memory; a decision works on its own copy. */
export interface LadderSlot {
  lastTick: number | null;
  maxTick: number | null;
  readonly lastEmitted: Map<string, number>;
  readonly entries: Map<string, Entry>;
  recover: RecoverMemory | null;
  /** Family to tick of the prune. */
  readonly pruned: Map<string, number>;
  /** Events that were emitted: when they were last present, and how severe (spec 04 §13.1). */
  readonly lastPresent: Map<string, { readonly unix: number; readonly severity: Severity }>;
  /** Root key to the keys that its last alert named (spec 04 §13.3). */
  readonly named: Map<string, readonly string[]>;
}

/** Keys that the slot holds at most (spec 05 A.12.1). */
export const MAX_KEYS = 4096;
/** Keys that one alert lists at most. */
export const MAX_EXPLAINS = 32;

/** An entry without a past. */
export function freshEntry(): Entry {
  return {
    severity: null,
    emittedUnix: null,
    silence: null,
    peak: null,
    streak: 0,
    highSince: null,
    below: 0,
    remedy: 'none',
    absent: 0,
    absentSince: null,
    notice: false,
    explained: [],
  };
}

/** Typed slot of whatever is stored; missing and malformed parts count as absent (spec 05 A.6, A.12.1). */
export function parseSlot(raw: JsonObject): LadderSlot {
  return {
    lastTick: tickOr(raw['last_tick']),
    maxTick: tickOr(raw['max_tick']),
    lastEmitted: parseMap(raw['last_emitted'], tickOr),
    entries: parseMap(raw['keys'], parseEntry),
    recover: parseRecover(raw['recover']),
    pruned: parseMap(raw['pruned'], tickOr),
    lastPresent: parseMap(raw['last_present'], parseLastPresent),
    named: parseMap(raw['named'], (value) => (Array.isArray(value) ? parseKeys(value) : null)),
  };
}

/** The slot as it is stored. */
export function serialiseSlot(slot: LadderSlot): JsonObject {
  return {
    last_emitted: fromMap(slot.lastEmitted, (tick) => tick),
    last_tick: slot.lastTick,
    max_tick: slot.maxTick,
    keys: fromMap(slot.entries, serialiseEntry),
    ...(slot.recover === null ? {} : { recover: { ...slot.recover } }),
    pruned: fromMap(slot.pruned, (tick) => tick),
    last_present: fromMap(slot.lastPresent, ({ unix, severity }) => [unix, severity]),
    named: fromMap(slot.named, (keys) => keys),
  };
}

function serialiseEntry(entry: Entry): JsonObject {
  return {
    severity: entry.severity,
    emitted_unix: entry.emittedUnix,
    silence: entry.silence,
    peak: entry.peak,
    streak: entry.streak,
    high_since: entry.highSince,
    below: entry.below,
    remedy: entry.remedy,
    absent: entry.absent,
    absent_since: entry.absentSince,
    notice: entry.notice,
    explained: entry.explained,
  };
}

function parseEntry(value: Json | undefined): Entry | null {
  if (!isObject(value)) return null;
  return {
    severity: severityOr(value['severity']),
    emittedUnix: finiteNumber(value['emitted_unix']) ?? null,
    silence: tickOr(value['silence']),
    peak: tickOr(value['peak']),
    streak: Math.max(0, tickOr(value['streak']) ?? 0),
    highSince: tickOr(value['high_since']),
    below: Math.max(0, tickOr(value['below']) ?? 0),
    remedy: remedyOr(value['remedy']),
    absent: Math.max(0, tickOr(value['absent']) ?? 0),
    absentSince: tickOr(value['absent_since']),
    notice: value['notice'] === true,
    explained: parseKeys(value['explained']),
  };
}

function parseRecover(value: Json | undefined): RecoverMemory | null {
  const raw = objectOr(value);
  const tick = tickOr(raw['tick']);
  if (tick === null) return null;
  return { tick, unix: finiteNumber(raw['unix']) ?? 0, backoff: Math.max(0, tickOr(raw['backoff']) ?? 0) };
}

function parseLastPresent(value: Json | undefined): { unix: number; severity: Severity } | null {
  const [unix, severity] = listOr(value);
  const seconds = finiteNumber(unix);
  const known = severityOr(severity);
  return seconds === undefined || known === null ? null : { unix: seconds, severity: known };
}

function parseKeys(value: Json | undefined): string[] {
  return listOr(value)
    .filter((key) => typeof key === 'string')
    .slice(0, MAX_EXPLAINS);
}

function severityOr(value: Json | undefined): Severity | null {
  return SEVERITIES.find((severity) => severity === value) ?? null;
}

function remedyOr(value: Json | undefined): Remedy {
  return value === 'held' || value === 'sent' ? value : 'none';
}

/** An integer, or null when the value cannot be read as one. */
function tickOr(value: Json | undefined): number | null {
  const tick = storedInteger(value, Number.NaN);
  return Number.isNaN(tick) ? null : tick;
}

function parseMap<T>(value: Json | undefined, parse: (item: Json | undefined) => T | null): Map<string, T> {
  const map = new Map<string, T>();
  for (const [key, item] of Object.entries(objectOr(value))) {
    const parsed = parse(item);
    if (parsed !== null) map.set(key, parsed);
  }
  return map;
}

function fromMap<T>(map: ReadonlyMap<string, T>, serialise: (value: T) => Json): JsonObject {
  return Object.fromEntries([...map].map(([key, value]) => [key, serialise(value)]));
}

/** True when the first severity is above the second. */
export function isAbove(a: Severity, b: Severity): boolean {
  return severityRank(a) > severityRank(b);
}
