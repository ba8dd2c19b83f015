import type { Finding, Severity } from './finding.js';
import { SEVERITY_RANK } from './finding.js';
import type { Segment } from './segments.js';
import type { Sightings } from './windows.js';

/** How an episode ended, as far as the record goes (spec 06 F.9). */
export type Outcome = 'persisted' | 'ceased' | 'censored';

/** Emissions of one key without a gap longer than the ladder's silence explains (spec 06 F.9). */
export interface Episode {
  readonly session_id: string;
  readonly segment: number;
  readonly symptom: string;
  readonly key: string;
  readonly pattern: string;
  readonly emissions: readonly Finding[];
  readonly start: number;
  /** Tick of the last emission. */
  readonly last: number;
  /** Last tick at which the key was known to be present; later than `last` only where presence is recorded. */
  readonly last_seen: number;
  readonly severity: Severity;
  readonly escalated: boolean;
  /** First emission with a hard intent, null when there is none. */
  readonly acted: Finding | null;
  readonly outcome: Outcome;
  /** Last tick of the window in which the outcome was judged. */
  readonly judged_at: number;
  /** Ticks until it ceased; null unless it did. */
  readonly latency: number | null;
  /** Silence of its last emission, the C of spec 06 F.9. */
  readonly silence: number;
}

/** Silence of a first emission where a row does not say (spec 05 A.12, `cooldown_ticks`). */
export const DEFAULT_SILENCE = 5;
/** Ticks of tolerance beyond the silence within one episode. */
const GAP_TOLERANCE = 2;

/** Ticks of silence that an emission set. */
export function silenceOf(finding: Finding): number {
  return Math.max(1, finding.silence ?? DEFAULT_SILENCE);
}

/** The episodes of one segment, in order of their first emission. */
export function episodesOf(
  sessionId: string,
  index: number,
  segment: Segment,
  sightings: Sightings,
): Episode[] {
  const byKey = new Map<string, Finding[]>();
  for (const finding of segment.findings) {
    const list = byKey.get(finding.key);
    if (list === undefined) byKey.set(finding.key, [finding]);
    else list.push(finding);
  }
  const episodes: Episode[] = [];
  for (const [key, findings] of byKey) {
    const groups = cut(key, findings, sightings);
    for (const [i, group] of groups.entries()) {
      const next = groups[i + 1]?.[0]?.tick ?? null;
      const episode = describe(group, next, segment, sightings);
      if (episode !== null) episodes.push({ ...episode, session_id: sessionId, segment: index });
    }
  }
  return episodes.sort((a, b) => a.start - b.start);
}

function cut(key: string, findings: readonly Finding[], sightings: Sightings): Finding[][] {
  const groups: Finding[][] = [];
  for (const finding of findings) {
    const current = groups.at(-1);
    const previous = current?.at(-1);
    const near =
      previous !== undefined &&
      sightings.distance(key, lastSeen(key, previous, sightings), finding.tick) <=
        silenceOf(previous) + GAP_TOLERANCE;
    if (near && current !== undefined) current.push(finding);
    else groups.push([finding]);
  }
  return groups;
}

/** Follows the recorded presence of a key from an emission on, as long as its gaps are short. */
function lastSeen(key: string, emission: Finding, sightings: Sightings): number {
  let seen = emission.tick;
  for (const tick of sightings.ticksOf(key)) {
    if (tick <= seen) continue;
    if (sightings.distance(key, seen, tick) > silenceOf(emission) + GAP_TOLERANCE) break;
    seen = tick;
  }
  return seen;
}

type Described = Omit<Episode, 'session_id' | 'segment'>;

function describe(
  emissions: readonly Finding[],
  nextEmission: number | null,
  segment: Segment,
  sightings: Sightings,
): Described | null {
  const first = emissions[0];
  const final = emissions.at(-1);
  if (first === undefined || final === undefined) return null;
  const { key } = first;
  const silence = silenceOf(final);
  const seen = lastSeen(key, final, sightings);
  const end = sightings.windowEnd(key, seen, 2 * silence);
  const acted = emissions.find((finding) => finding.hard !== null) ?? null;
  const outcome = judge(key, seen, end, nextEmission, segment, sightings);
  const highest = emissions.reduce((most, one) =>
    SEVERITY_RANK[one.severity] > SEVERITY_RANK[most.severity] ? one : most,
  );
  return {
    symptom: first.symptom,
    key,
    pattern: first.pattern,
    emissions,
    start: first.tick,
    last: final.tick,
    last_seen: seen,
    severity: highest.severity,
    escalated: SEVERITY_RANK[final.severity] > SEVERITY_RANK[first.severity],
    acted,
    outcome,
    judged_at: end,
    latency:
      outcome === 'ceased'
        ? latencyOf(acted?.tick ?? first.tick, final.tick, seen, silence, sightings)
        : null,
    silence,
  };
}

function judge(
  key: string,
  seen: number,
  end: number,
  nextEmission: number | null,
  segment: Segment,
  sightings: Sightings,
): Outcome {
  if ((nextEmission !== null && nextEmission <= end) || sightings.seen(key, seen, end)) return 'persisted';
  return segment.last_tick >= end ? 'ceased' : 'censored';
}

/** Exact where presence is recorded, else the middle of the silence in which it must have ended (spec 06 F.9, #7). */
function latencyOf(from: number, last: number, seen: number, silence: number, sightings: Sightings): number {
  const absent = sightings.nextObserved(seen);
  return absent === null ? last - from + silence / 2 : Math.max(0, absent - from);
}
