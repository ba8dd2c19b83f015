import type { Json } from '../../foreign/json.js';
import { compareCodePoints } from '../../foreign/order.js';
import { pythonNumber } from '../../foreign/python-text.js';

/** Levels of lists and objects: the 64 of params (spec 03 event-8) within the object that wraps them. */
const MAX_DEPTH = 65;

/**
 * A text that two values share exactly when they are equal: JSON with keys sorted by code point, `, ` and `: ` between
 * items, non-ASCII escaped, numbers by value (spec 03 §7.4, event-8). Undefined for a value that is nested too deeply.
 */
export function canonicalJson(value: Json): string | undefined {
  return isDeeperThan(value, MAX_DEPTH) ? undefined : write(value);
}

function isDeeperThan(value: Json | undefined, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((item) => isDeeperThan(item, levels - 1));
}

function write(value: Json | undefined): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return canonicalNumber(value);
  if (typeof value === 'string') return asciiString(value);
  if (Array.isArray(value)) return `[${value.map(write).join(', ')}]`;
  const entries = Object.entries(value);
  entries.sort(([a], [b]) => compareCodePoints(a, b));
  return `{${entries.map(([key, item]) => `${asciiString(key)}: ${write(item)}`).join(', ')}}`;
}

function canonicalNumber(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value < 0 ? '-Infinity' : 'Infinity';
  return pythonNumber(value);
}

function asciiString(value: string): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
