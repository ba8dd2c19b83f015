/** Seconds that a `Retry-After` header asks for, as a number or a date (RFC 9110 §10.2.3); null when it says neither. */
export function retryAfterS(header: string | undefined, nowUnix: number): number | null {
  const value = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(value)) return Number(value);
  if (!/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,/.test(value)) return null;
  const unix = Date.parse(value) / 1000;
  return Number.isFinite(unix) ? Math.max(0, Math.round(unix - nowUnix)) : null;
}
