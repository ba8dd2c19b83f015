import { finiteNumber, integer, type JsonObject, objectOr } from '../../foreign/json.js';

/** What is remembered of a target between ticks (spec 04 §14); times in unix s. */
export type HealthStreak = {
  /** Consecutive failing probes, the last one included. */
  readonly fail_streak: number;
  readonly last_ok_unix: number | null;
  readonly first_seen_unix: number;
  readonly pid: number | null;
  readonly seen_unix: number;
};

const MAX_REMEMBERED = 32;
/** How long a target that is not asked any more is remembered, s. */
const FORGET_AFTER_S = 3600;

/** The streak of one target after a probe; another process behind the same URL begins anew. */
export function nextStreak(
  stored: unknown,
  probe: { readonly isFailing: boolean; readonly pid: number | null; readonly nowUnix: number },
): HealthStreak {
  const before = parseStreak(stored, probe.nowUnix);
  const isSame =
    before !== undefined && (before.pid === null || probe.pid === null || before.pid === probe.pid);
  const streak = isSame ? before.fail_streak : 0;
  return {
    fail_streak: probe.isFailing ? streak + 1 : 0,
    last_ok_unix: probe.isFailing ? (isSame ? before.last_ok_unix : null) : probe.nowUnix,
    first_seen_unix: isSame ? before.first_seen_unix : probe.nowUnix,
    pid: probe.pid ?? (isSame ? before.pid : null),
    seen_unix: probe.nowUnix,
  };
}

/** The memory with this tick's streaks in it: bounded, the longest unseen forgotten first. */
export function rememberStreaks(
  memory: JsonObject,
  streaks: ReadonlyMap<string, HealthStreak>,
  nowUnix: number,
): Record<string, HealthStreak> {
  const kept = new Map<string, HealthStreak>();
  for (const [url, stored] of Object.entries(memory)) {
    const streak = parseStreak(stored, nowUnix);
    if (streak && nowUnix - streak.seen_unix <= FORGET_AFTER_S) kept.set(url, streak);
  }
  for (const [url, streak] of streaks) kept.set(url, streak);
  const newest = [...kept].sort(([, a], [, b]) => b.seen_unix - a.seen_unix);
  return Object.fromEntries(newest.slice(0, MAX_REMEMBERED));
}

/** URLs of the memory that have answered, and that were asked not long ago. */
export function answeredLately(memory: JsonObject, nowUnix: number): string[] {
  return Object.entries(memory).flatMap(([url, stored]) =>
    parseStreak(stored, nowUnix)?.last_ok_unix == null ? [] : [url],
  );
}

function parseStreak(stored: unknown, nowUnix: number): HealthStreak | undefined {
  const raw = objectOr(stored);
  const fail_streak = integer(raw['fail_streak']);
  const first_seen_unix = finiteNumber(raw['first_seen_unix']);
  const seen_unix = finiteNumber(raw['seen_unix']);
  if (
    fail_streak === undefined ||
    fail_streak < 0 ||
    first_seen_unix === undefined ||
    seen_unix === undefined
  ) {
    return undefined;
  }
  // A clock that was set back would make a server look older than it is.
  if (first_seen_unix > nowUnix || seen_unix > nowUnix) return undefined;
  // Nobody looked for so long, or the node stood still: what failed before and after is no streak.
  if (nowUnix - seen_unix > FORGET_AFTER_S) return undefined;
  return {
    fail_streak,
    last_ok_unix: finiteNumber(raw['last_ok_unix']) ?? null,
    first_seen_unix,
    pid: integer(raw['pid']) ?? null,
    seen_unix,
  };
}
