import type { Json } from './json.js';

const NON_ASCII = /[\u007f-\uffff]/g;

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * JSON in pure ASCII. Readers in other languages split lines at U+0085, U+2028 and U+2029 and reject lone surrogates; an
 * escape survives all of them (spec 01 §6).
 */
export function asciiJson(value: Json, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(NON_ASCII, escaped);
}

/** The value with object keys sorted at every level. */
export function sortKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter((entry): entry is [string, Json] => entry[1] !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return Object.fromEntries(entries.map(([key, item]) => [key, sortKeys(item)]));
}
