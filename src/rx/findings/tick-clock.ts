interface Stamp {
  readonly tick: number;
  readonly timestamp: number;
}

/** When ticks ran, from the rows that carry both; linear in between and beyond. */
export class TickClock {
  private readonly stamps: readonly Stamp[];

  constructor(rows: readonly Stamp[]) {
    const first = new Map<number, number>();
    for (const { tick, timestamp } of rows) {
      if (Number.isFinite(timestamp)) first.set(tick, Math.min(timestamp, first.get(tick) ?? timestamp));
    }
    this.stamps = [...first]
      .map(([tick, timestamp]) => ({ tick, timestamp }))
      .sort((a, b) => a.tick - b.tick);
  }

  /** Seconds since the epoch; null when fewer than two ticks are known, and this is none of them. */
  timeOf(tick: number): number | null {
    const { stamps } = this;
    const after = lowerBound(stamps, tick);
    const exact = stamps[after];
    if (exact?.tick === tick) return exact.timestamp;
    if (stamps.length < 2) return null;
    const right = Math.min(Math.max(after, 1), stamps.length - 1);
    const beyond = after === stamps.length;
    const a = beyond ? stamps[0] : stamps[right - 1];
    const b = stamps[right];
    if (a === undefined || b === undefined) return null;
    const pace = (b.timestamp - a.timestamp) / (b.tick - a.tick);
    return b.timestamp + (tick - b.tick) * pace;
  }
}

/** First index whose tick is at least the given one. */
function lowerBound(stamps: readonly Stamp[], tick: number): number {
  let low = 0;
  let high = stamps.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((stamps[middle]?.tick ?? 0) < tick) low = middle + 1;
    else high = middle;
  }
  return low;
}
