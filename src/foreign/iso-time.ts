interface DateParts {
  /** Days since 1970-01-01. */
  readonly days: number;
  /** Length of the date part of the text. */
  readonly length: number;
}

const DAY_S = 86_400;
const DIGIT = /^\d$/;
const CLOCK = /^(\d\d)(?:(:?)(\d\d)(?:(:?)(\d\d))?(?:[.,](\d+))?)?$/;
const OFFSET = /^(.*?) ?([+-])(\d\d(?::?\d\d(?::?\d\d(?:[.,]\d+)?)?)?)$/s;

/**
 * ISO 8601 text as epoch seconds: extended or basic date or week date, optional time after any one separator, offset or `Z`;
 * no offset means UTC. The language is that of spec 03 §3; other text is undefined.
 */
export function parseIsoUnix(source: string): number | undefined {
  const date = parseDate(source);
  if (!date) return undefined;
  if (source.length === date.length) return date.days * DAY_S;
  const separator = source.codePointAt(date.length) ?? 0;
  const time = parseTime(source.slice(date.length + (separator > 0xffff ? 2 : 1)));
  return time === undefined ? undefined : date.days * DAY_S + time;
}

function parseDate(source: string): DateParts | undefined {
  const length = dateLength(source);
  if (length === undefined) return undefined;
  const part = source.slice(0, length);
  const week = /^(\d{4})(-?)W(\d\d)(?:\2(\d))?$/.exec(part);
  const days = week
    ? weekDays(Number(week[1]), Number(week[3]), Number(week[4] ?? '1'))
    : calendarDays(/^(\d{4})(-?)(\d\d)\2(\d\d)$/.exec(part));
  return days === undefined ? undefined : { days, length };
}

/** Where the date ends. Basic week dates are ambiguous when the separator is a digit; the digits' number decides. */
function dateLength(source: string): number | undefined {
  if (source.length < 7) return undefined;
  if (source.charAt(4) === '-') {
    if (source.charAt(5) !== 'W') return 10;
    if (source.charAt(8) !== '-' || source.length === 9) return source.length === 9 ? undefined : 8;
    return source.length > 10 && DIGIT.test(source.charAt(10)) ? 8 : 10;
  }
  if (source.charAt(4) !== 'W') return 8;
  let end = 7;
  while (end < source.length && DIGIT.test(source.charAt(end))) end += 1;
  if (end < 9) return end;
  return end % 2 === 0 ? 7 : 8;
}

function calendarDays(match: RegExpExecArray | null): number | undefined {
  if (!match) return undefined;
  const [year, month, day] = [Number(match[1]), Number(match[3]), Number(match[4])];
  const days = daysOf(year, month, day);
  if (year < 1 || days === undefined) return undefined;
  return days;
}

function daysOf(year: number, month: number, day: number): number | undefined {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return exists ? date.getTime() / 1000 / DAY_S : undefined;
}

function weekDays(year: number, week: number, weekday: number): number | undefined {
  if (year < 1 || week < 1 || week > weeksIn(year) || weekday < 1 || weekday > 7) return undefined;
  return firstMonday(year) + (week - 1) * 7 + (weekday - 1);
}

/** Days since the epoch of the Monday of ISO week 1: the week that holds January 4th. */
function firstMonday(year: number): number {
  const fourth = daysOf(year, 1, 4) ?? 0;
  const weekday = (((fourth + 3) % 7) + 7) % 7;
  return fourth - weekday;
}

function weeksIn(year: number): number {
  return (firstMonday(year + 1) - firstMonday(year)) / 7;
}

function parseTime(source: string): number | undefined {
  if (source.endsWith('Z')) return parseClock(source.slice(0, source.endsWith(' Z') ? -2 : -1));
  const zone = OFFSET.exec(source);
  if (!zone) return parseClock(source);
  const clock = parseClock(zone[1] ?? '');
  const offset = parseClock(zone[3] ?? '');
  if (clock === undefined || offset === undefined) return undefined;
  return zone[2] === '-' ? clock + offset : clock - offset;
}

/** Seconds of `HH[:MM[:SS][.f]]`, colons all or none, the fraction (of a second) cut to microseconds. */
function parseClock(source: string): number | undefined {
  const match = CLOCK.exec(source);
  if (!match) return undefined;
  const [, hours, colon, minutes, secondColon, seconds, fraction] = match;
  if (seconds !== undefined && colon !== secondColon) return undefined;
  const [h, m, s] = [Number(hours), Number(minutes ?? '0'), Number(seconds ?? '0')];
  if (h > 23 || m > 59 || s > 59) return undefined;
  return h * 3600 + m * 60 + s + Number(`0.${(fraction ?? '0').slice(0, 6)}`);
}
