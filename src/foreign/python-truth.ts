import type { Json } from './json.js';

/** Python's truth of a value: false for null, absent, `false`, 0, `''`, `[]` and `{}` ("falsy" in spec 03 and 04). */
export function isTruthy(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}
