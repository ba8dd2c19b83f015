/**
 * Rounds the exact binary value to `digits` decimals, exact ties to even (spec 03 §1.3): 0.125 -> 0.12, 2.675 -> 2.67.
 * `toFixed` decides ties upward, so an exact tie is recognised by its full decimal expansion.
 */
export function roundHalfEven(value: number, digits: number): number {
  if (!Number.isFinite(value)) return value;
  const exact = Math.abs(value).toFixed(Math.min(100, digits + 60));
  const cut = exact.length - 60;
  const kept = digits === 0 ? exact.slice(0, cut - 1) : exact.slice(0, cut);
  const rest = exact.slice(cut);
  const isTie = rest.startsWith('5') && /^50*$/.test(rest);
  const lastDigit = Number(kept.at(-1));
  const roundsUp = isTie ? lastDigit % 2 === 1 : rest.charAt(0) >= '5';
  const sign = value < 0 ? -1 : 1;
  if (!roundsUp) return sign * Number(kept) + 0;
  const step = digits === 0 ? 1 : Number(`1e-${digits}`);
  return sign * Number((Number(kept) + step).toFixed(digits)) + 0;
}

/** Truncates toward zero, never giving -0 (spec 03 §1.3 "int"). */
export function truncate(value: number): number {
  return Math.trunc(value) + 0;
}
