const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
/** Longer texts are no numbers that anybody wrote on purpose. */
const MAX_LENGTH = 64;

/**
 * A finite number, or decimal ASCII text that denotes one, blanks around it allowed; booleans, other notations and whatever
 * is not finite are undefined (spec 02 §9).
 */
export function looseNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || value.length > MAX_LENGTH) return undefined;
  const trimmed = value.trim();
  if (!DECIMAL.test(trimmed)) return undefined;
  const number = Number(trimmed);
  return Number.isFinite(number) ? number : undefined;
}
