import { isObject, type JsonObject, objectOr } from '../../foreign/json.js';
import { type Severity, severityRank } from '../../signals/symptom.js';

/** Why a symptom gets no call. */
export type ThrottleRefusal = 'severity' | 'calls_per_tick' | 'cooldown';

export interface ThrottleLimits {
  readonly severityMin: Severity;
  readonly cooldownS: number;
  readonly maxCallsPerTick: number;
}

/** Something that wants a call. */
export interface Candidate {
  /** The ladder's key (spec 05 A.3). */
  readonly key: string;
  readonly severity: Severity;
  /** A destructive intent rests on it. */
  readonly isDestructive: boolean;
}

const MAX_KEYS = 512;

/** How often a model may be asked, per tick and per symptom; the latter is remembered between processes (spec 05 B.11). */
export class Throttle {
  readonly #limits: ThrottleLimits;
  readonly #lastCalled: Map<string, number>;
  #tick = -1;
  #calls = 0;

  /** @param stored `last_called_unix` of the slot `rca_throttle`, whatever it holds */
  constructor(limits: ThrottleLimits, stored: unknown) {
    this.#limits = limits;
    this.#lastCalled = new Map(parseTimes(stored));
  }

  /** A new tick, also one with a smaller number, has its calls again. */
  onTick(tick: number): void {
    if (tick === this.#tick) return;
    this.#tick = tick;
    this.#calls = 0;
  }

  /**
   * Gives out this tick's calls: for each candidate in turn null (it may call) or why not. Those on which a destructive
   * intent rests come first, then the more severe, then those that were not explained for the longest time (spec 05
   * B.12.5). A call that is given out counts at once, so that calls can run side by side.
   */
  admit(candidates: readonly Candidate[], nowUnix: number): (ThrottleRefusal | null)[] {
    const verdicts = new Map<Candidate, ThrottleRefusal | null>();
    const given = new Set<string>();
    for (const candidate of this.#byUrgency(candidates)) {
      const refusal = given.has(candidate.key) ? 'cooldown' : this.#refusal(candidate, nowUnix);
      verdicts.set(candidate, refusal);
      if (refusal !== null) continue;
      given.add(candidate.key);
      this.#calls += 1;
    }
    return candidates.map((candidate) => verdicts.get(candidate) ?? null);
  }

  /** Notes a call that was made, successful or not, by the time before it. */
  record(key: string, calledUnix: number): void {
    this.#lastCalled.delete(key);
    this.#lastCalled.set(key, calledUnix);
  }

  /** For the slot: the latest calls only. */
  snapshot(): JsonObject {
    const latest = [...this.#lastCalled].sort(([, a], [, b]) => a - b).slice(-MAX_KEYS);
    return Object.fromEntries(latest);
  }

  #refusal({ key, severity }: Candidate, nowUnix: number): ThrottleRefusal | null {
    if (severityRank(severity) < severityRank(this.#limits.severityMin)) return 'severity';
    if (this.#calls >= this.#limits.maxCallsPerTick) return 'calls_per_tick';
    const last = this.#lastCalled.get(key);
    const elapsed = last === undefined ? Number.POSITIVE_INFINITY : nowUnix - last;
    // A clock that was set back must not silence a key until it catches up.
    return elapsed >= 0 && elapsed < this.#limits.cooldownS ? 'cooldown' : null;
  }

  #byUrgency(candidates: readonly Candidate[]): Candidate[] {
    const last = (candidate: Candidate): number =>
      this.#lastCalled.get(candidate.key) ?? Number.NEGATIVE_INFINITY;
    return [...candidates].sort(
      (a, b) =>
        Number(b.isDestructive) - Number(a.isDestructive) ||
        severityRank(b.severity) - severityRank(a.severity) ||
        compare(last(a), last(b)),
    );
  }
}

/** The severity an operator's word stands for; anything unknown is high (spec 05 B.1). */
export function severityFloor(word: string): Severity {
  const lower = word.trim().toLowerCase();
  if (['low', 'info', 'observe'].includes(lower)) return 'low';
  return ['medium', 'warn', 'warning'].includes(lower) ? 'medium' : 'high';
}

function compare(a: number, b: number): number {
  return a === b ? 0 : a - b;
}

function parseTimes(stored: unknown): [string, number][] {
  if (!isObject(stored)) return [];
  return Object.entries(objectOr(stored)).flatMap(([key, value]): [string, number][] => {
    const isNumeric = typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');
    const time = isNumeric ? Number(value) : Number.NaN;
    return Number.isFinite(time) ? [[key, time]] : [];
  });
}
