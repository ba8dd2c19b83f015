/** A stamp as written; the zone is null when none was. */
interface Stamp {
  readonly year: number | null;
  readonly month: number;
  readonly day: number;
  readonly secondsOfDay: number;
  /** Seconds east of UTC. */
  readonly zone: number | null;
}

const HEAD = 64;
const FULL =
  /(\d{4})[-/](\d{2})[-/](\d{2})[T ](\d{2}):(\d{2}):(\d{2})([.,]\d{1,9})?[ ]?(Z|[+-]\d{2}:?\d{2})?/;
const NO_YEAR = /(?<!\d)(?<!\d[-/])(\d{2})-(\d{2}) (\d{2}):(\d{2}):(\d{2})([.,]\d{1,9})?/;
const GLOG = /(?<![A-Za-z0-9])[IWEFD](\d{2})(\d{2}) (\d{2}):(\d{2}):(\d{2})([.,]\d{1,9})?/;

/** How far back a line without a stamp may look for one (spec 07 B18). */
export const LOOK_BACK = 50;
/** Lines at the end of a file that may take the file's own time. */
export const TAIL_LINES = 200;

/** Reads the stamps of one file: a missing year or zone is chosen by the file's time of change (spec 07 B18). */
export class LineClock {
  readonly #mtimeUnix: number;
  /** Offset to add for stamps without a zone, s. */
  #offset = 0;

  /**
   * @param hostOffsetS how far the host's local time is ahead of UTC, s
   * @param lastStamped the last line of the file that has a stamp, when there is one
   */
  constructor(mtimeUnix: number, hostOffsetS: number, lastStamped: string | null) {
    this.#mtimeUnix = mtimeUnix;
    const stamp = lastStamped === null ? null : parseStamp(lastStamped);
    if (stamp === null || stamp.zone !== null) return;
    const asUtc = Math.abs(this.#unix(stamp, 0) - mtimeUnix);
    const asLocal = Math.abs(this.#unix(stamp, hostOffsetS) - mtimeUnix);
    if (asLocal < asUtc) this.#offset = hostOffsetS;
  }

  /** Unix s of the stamp in a line's head, or null. */
  timeOf(line: string): number | null {
    const stamp = parseStamp(line);
    return stamp === null ? null : this.#unix(stamp, stamp.zone ?? this.#offset);
  }

  #unix(stamp: Stamp, offset: number): number {
    const at = (year: number): number =>
      Date.UTC(year, stamp.month - 1, stamp.day) / 1000 + stamp.secondsOfDay - offset;
    if (stamp.year !== null) return at(stamp.year);
    const around = new Date(this.#mtimeUnix * 1000).getUTCFullYear();
    const years = [around - 1, around, around + 1];
    return years
      .map(at)
      .reduce((best, time) =>
        Math.abs(time - this.#mtimeUnix) < Math.abs(best - this.#mtimeUnix) ? time : best,
      );
  }
}

/** True for a line that has a stamp. */
export function hasStamp(line: string): boolean {
  return parseStamp(line) !== null;
}

function parseStamp(line: string): Stamp | null {
  const head = line.slice(0, HEAD);
  const full = FULL.exec(head);
  if (full !== null) {
    const [, year, month, day, h, m, s, fraction, zone] = full;
    return checked(Number(year), month, day, [h, m, s, fraction], zoneOf(zone));
  }
  const short = NO_YEAR.exec(head) ?? GLOG.exec(head);
  if (short === null) return null;
  const [, month, day, h, m, s, fraction] = short;
  return checked(null, month, day, [h, m, s, fraction], null);
}

function checked(
  year: number | null,
  month: string | undefined,
  day: string | undefined,
  [h, m, s, fraction]: readonly (string | undefined)[],
  zone: number | null,
): Stamp | null {
  const [mo, d] = [Number(month), Number(day)];
  const [hours, minutes, seconds] = [Number(h), Number(m), Number(s)];
  if (mo < 1 || mo > 12 || d < 1 || d > 31 || hours > 23 || minutes > 59 || seconds > 60) return null;
  const part = fraction === undefined ? 0 : Number(`0.${fraction.slice(1)}`);
  return { year, month: mo, day: d, secondsOfDay: hours * 3600 + minutes * 60 + seconds + part, zone };
}

function zoneOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (text === 'Z') return 0;
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(text) ?? [];
  const seconds = Number(hours) * 3600 + Number(minutes) * 60;
  return sign === '-' ? -seconds : seconds;
}
