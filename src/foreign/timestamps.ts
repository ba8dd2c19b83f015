import { parseIsoUnix } from './iso-time.js';
import { trimPython } from './python-space.js';

const PLAIN_NUMBER = /^[+-]?(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?$/;
/** Longer texts are no timestamps; keeps parsing bounded. */
const MAX_LENGTH = 64;
/** Smallest stamp that is read as milliseconds. */
const MILLISECONDS_FROM = 1e12;
/** How far ahead of the clock a stamp may be, s. */
const MAX_AHEAD_S = 300;

/**
 * "Unix coercion" of spec 03 §3: a number as epoch seconds, or text in ISO 8601 (no offset means UTC) or as a plain decimal
 * number. Anything else, and whatever is not finite, is undefined.
 */
export function unixSeconds(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string') return undefined;
  const trimmed = trimPython(value);
  if (trimmed === '' || trimmed.length > MAX_LENGTH) return undefined;
  const iso = parseIsoUnix(trimmed);
  if (iso !== undefined) return iso;
  if (!PLAIN_NUMBER.test(trimmed)) return undefined;
  const number = Number(trimmed.replaceAll('_', ''));
  return Number.isFinite(number) ? number : undefined;
}

/**
 * A stamp that can be believed at `nowUnix`: milliseconds become seconds; negative ones, and those more than 300 s ahead,
 * are unusable (spec 03 stall-2).
 */
export function usableUnixSeconds(value: unknown, nowUnix: number): number | undefined {
  const raw = unixSeconds(value);
  if (raw === undefined) return undefined;
  const seconds = raw >= MILLISECONDS_FROM ? raw / 1000 : raw;
  return seconds < 0 || seconds > nowUnix + MAX_AHEAD_S ? undefined : seconds;
}
