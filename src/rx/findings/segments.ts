import type { Finding, Presence } from './finding.js';
import { TickClock } from './tick-clock.js';

/** One life of a session: ticks ascend; nothing is compared across lives (spec 06 F.9). */
export interface Segment {
  readonly findings: readonly Finding[];
  readonly presence: readonly Presence[];
  /** Last tick known to have run. */
  readonly last_tick: number;
  readonly clock: TickClock;
}

/**
 * Cuts a session where its tick index goes backwards. Presence lines, one per tick, decide where they exist; findings from
 * before the first of them decide for themselves.
 *
 * @param stateTick the Coordinator's own tick, used for the last segment when presence is not recorded
 */
export function segmentsOf(
  findings: readonly Finding[],
  presence: readonly Presence[],
  stateTick: number | null,
): Segment[] {
  const observedFrom = presence[0]?.timestamp ?? Number.POSITIVE_INFINITY;
  const earlier = findings.filter((finding) => !(finding.timestamp >= observedFrom));
  const starts = [...restarts(earlier), ...restarts(presence)];
  if (earlier.length > 0 && (earlier.at(-1)?.tick ?? 0) > (presence[0]?.tick ?? Number.POSITIVE_INFINITY)) {
    starts.push(observedFrom);
  }
  const parts = Array.from({ length: starts.length + 1 }, () => ({
    findings: [] as Finding[],
    presence: [] as Presence[],
  }));
  const segmentOf = (timestamp: number) => starts.filter((start) => timestamp >= start).length;
  for (const finding of findings) parts[segmentOf(finding.timestamp)]?.findings.push(finding);
  for (const line of presence) parts[segmentOf(line.timestamp)]?.presence.push(line);
  return parts.map((part, index) => {
    const seen = [...part.findings, ...part.presence];
    const last = seen.reduce((most, row) => Math.max(most, row.tick), 0);
    const known = index === parts.length - 1 && part.presence.length === 0 ? (stateTick ?? 0) : 0;
    return { ...part, last_tick: Math.max(last, known), clock: new TickClock(seen) };
  });
}

/** Times at which the tick index went backwards. */
function restarts(rows: readonly { readonly tick: number; readonly timestamp: number }[]): number[] {
  return rows.flatMap((row, i) => (row.tick < (rows[i - 1]?.tick ?? row.tick) ? [row.timestamp] : []));
}
