import { symptomOf } from './key.js';
import type { Segment } from './segments.js';

/** `present` holds at most so many keys; a line with that many says nothing of keys it does not list (spec 01 §6). */
const PRESENT_CAP = 64;

/**
 * What a segment shows of each key beyond its findings: ticks at which it was present without an emission, and ticks that
 * count neither way (spec 06 F.9).
 */
export class Sightings {
  private readonly presentAt = new Map<string, number[]>();
  private readonly undecidedAt = new Map<string, number[]>();
  private readonly cappedLines: { tick: number; present: ReadonlySet<string> }[] = [];
  private readonly observedTicks: number[] = [];

  constructor(segment: Segment) {
    for (const line of segment.presence) {
      this.observedTicks.push(line.tick);
      for (const key of line.present) push(this.presentAt, key, line.tick);
      for (const symptom of line.undecided) push(this.undecidedAt, symptom, line.tick);
      if (line.present.length >= PRESENT_CAP) {
        this.cappedLines.push({ tick: line.tick, present: new Set(line.present) });
      }
    }
    for (const finding of segment.findings) {
      for (const key of finding.explained) push(this.presentAt, key, finding.tick);
    }
    for (const ticks of this.presentAt.values()) ticks.sort((a, b) => a - b);
  }

  /** Ascending ticks at which the key is known to have been present. */
  ticksOf(key: string): readonly number[] {
    return this.presentAt.get(key) ?? [];
  }

  /** Whether the key is seen in (after, until]. */
  seen(key: string, after: number, until: number): boolean {
    return this.ticksOf(key).some((tick) => tick > after && tick <= until);
  }

  /** The end of a window of so many ticks after a tick, lengthened by each tick in it that cannot judge the key. */
  windowEnd(key: string, after: number, length: number): number {
    let end = after + length;
    for (const tick of this.blindTicks(key)) {
      if (tick > after && tick <= end) end += 1;
    }
    return end;
  }

  /** Distance of two ticks, those that cannot judge the key not counted. */
  distance(key: string, from: number, to: number): number {
    return to - from - this.blindTicks(key).filter((tick) => tick > from && tick < to).length;
  }

  /** First observed tick after the given one, null where presence is not recorded. */
  nextObserved(after: number): number | null {
    return this.observedTicks.find((tick) => tick > after) ?? null;
  }

  private blindTicks(key: string): number[] {
    const undecided = this.undecidedAt.get(symptomOf(key)) ?? [];
    const capped = this.cappedLines.filter((line) => !line.present.has(key)).map((line) => line.tick);
    if (capped.length === 0) return undecided;
    return [...new Set([...undecided, ...capped])].sort((a, b) => a - b);
  }
}

function push(map: Map<string, number[]>, key: string, tick: number): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [tick]);
  else list.push(tick);
}
