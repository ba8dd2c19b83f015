/**
 * Seconds an endpoint asks to wait: `retry-after-ms`, or `Retry-After` in seconds or as an HTTP date (RFC 9110 §10.2.3).
 * Undefined when it does not say, or not in a way that can be read; a date in the past is 0.
 */
export function retryAfterSeconds(
  headers: Readonly<Record<string, string>>,
  nowMs: number,
): number | undefined {
  const ms = numberOf(headers['retry-after-ms']);
  if (ms !== undefined) return ms / 1000;
  const given = headers['retry-after'];
  if (given === undefined) return undefined;
  const seconds = numberOf(given);
  if (seconds !== undefined) return seconds;
  // Date.parse would take a bare number as a year, and almost anything as a date; an HTTP date starts with a day name.
  if (!/^[A-Za-z]{3,9},? /.test(given.trim())) return undefined;
  const date = Date.parse(given);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - nowMs) / 1000);
}

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*\d{1,10}(\.\d{1,6})?\s*$/.test(text) ? Number(text) : undefined;
}
