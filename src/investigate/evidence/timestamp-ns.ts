import { parseIsoUnix } from '../../foreign/iso-time.js';

const INTEGER = /^[+-]?\d{1,30}$/;
const DECIMAL = /^[+-]?(?:\d{1,20}(?:\.\d{0,20})?|\.\d{1,20})(?:[eE][+-]?\d{1,3})?$/;

/**
 * A timestamp of any usual kind in nanoseconds; null when it is none (spec 07 A4.3). ISO 8601 without a zone is UTC; other
 * numbers are seconds, milliseconds, microseconds or nanoseconds by their size.
 */
export function parseTimestampNs(source: string): bigint | null {
  const text = source.trim();
  if (text.includes('T')) {
    const seconds = parseIsoUnix(text);
    return seconds === undefined ? null : BigInt(Math.round(seconds * 1e6)) * 1000n;
  }
  if (text.includes('.')) return DECIMAL.test(text) ? decimalSeconds(text) : null;
  if (!INTEGER.test(text)) return null;
  const value = BigInt(text);
  if (value < 10n ** 10n) return value * 10n ** 9n;
  if (value < 10n ** 13n) return value * 10n ** 6n;
  return value < 10n ** 16n ? value * 1000n : value;
}

function decimalSeconds(text: string): bigint | null {
  const seconds = Number(text);
  return Number.isFinite(seconds) && Math.abs(seconds) < 1e12 ? BigInt(Math.round(seconds * 1e9)) : null;
}
