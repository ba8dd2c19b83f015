import { isObject, type Json } from './json.js';

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

/** True when keys are in order at every level already, as in what was read from a file of ours. */
function isSorted(value: Json): boolean {
  if (Array.isArray(value)) return value.every(isSorted);
  if (!isObject(value)) return true;
  let before = '';
  for (const key in value) {
    const item = value[key];
    if (key < before || item === undefined || !isSorted(item)) return false;
    before = key;
  }
  return true;
}

/** The value with object keys sorted at every level. */
export function sortKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isObject(value)) return value;
  if (isSorted(value)) return value;
  const entries: [string, Json][] = [];
  for (const key of Object.keys(value).sort()) {
    const item = value[key];
    if (item !== undefined) entries.push([key, sortKeys(item)]);
  }
  return Object.fromEntries(entries);
}
