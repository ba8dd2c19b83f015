import type { Json } from './json.js';

/** Python's truth of a JSON value: absent, null, false, 0, `''`, `[]` and `{}` are false. */
export function isTruthy(value: Json | undefined): boolean {
  if (typeof value !== 'object' || value === null) return Boolean(value);
  return Array.isArray(value) ? value.length > 0 : Object.keys(value).length > 0;
}
