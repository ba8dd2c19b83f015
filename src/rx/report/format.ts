/**
 * A number with fixed decimals, rounded as Python does: half to even on exact binary ties, and −0 kept (spec 06 C.5).
 */
export function fixed(value: number, decimals: number): string {
  const text = value.toFixed(decimals);
  if (!isExactTie(value, decimals))
    return Object.is(value, -0) || (value < 0 && !text.startsWith('-')) ? `-${text}` : text;
  const scale = 10 ** decimals;
  const lower = Math.floor(value * scale);
  return ((lower % 2 === 0 ? lower : lower + 1) / scale).toFixed(decimals);
}

/** A share as percent. */
export function percent(share: number, decimals = 0): string {
  return `${fixed(share * 100, decimals)}%`;
}

/** A change as signed percent. */
export function signedPercent(share: number, decimals = 0): string {
  const text = percent(share, decimals);
  return text.startsWith('-') ? text : `+${text}`;
}

/** A probability for people: three decimals, or the order of magnitude when they would all be 0. */
export function pValue(p: number): string {
  return p > 0 && p < 0.001 ? p.toExponential(1) : fixed(p, 3);
}

/** Only values k + odd/2^(d+1) lie exactly between two decimals. */
function isExactTie(value: number, decimals: number): boolean {
  if (!Number.isInteger(value * 2 ** (decimals + 1))) return false;
  const scaled = Math.abs(value) * 10 ** decimals;
  return scaled - Math.floor(scaled) === 0.5;
}

/** `1 run`, `2 runs`. */
export function plural(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
