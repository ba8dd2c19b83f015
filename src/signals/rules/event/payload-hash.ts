import { createHash } from 'node:crypto';
import type { Json } from '../../../foreign/json.js';
import { compareCodePoints } from '../../../foreign/order.js';
import { pythonNumber } from '../../../foreign/python-text.js';

/** Levels of lists and objects; params beyond it are not hashed (spec 03 event-8). */
const MAX_DEPTH = 64;

/**
 * SHA-1, in hex, of an action and its params in canonical JSON: keys sorted by code point, `, ` and `: ` between items,
 * non-ASCII escaped, numbers by value (spec 03 §7.4, event-8). Undefined when the params are nested too deeply.
 */
export function payloadHash(actionName: string, params: Json): string | undefined {
  if (isDeeperThan(params, MAX_DEPTH)) return undefined;
  const canonical = canonicalJson({ action_name: actionName, params });
  return createHash('sha1').update(canonical, 'ascii').digest('hex');
}

function isDeeperThan(value: Json | undefined, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((item) => isDeeperThan(item, levels - 1));
}

function canonicalJson(value: Json | undefined): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return canonicalNumber(value);
  if (typeof value === 'string') return asciiString(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(', ')}]`;
  const entries = Object.entries(value);
  entries.sort(([a], [b]) => compareCodePoints(a, b));
  return `{${entries.map(([key, item]) => `${asciiString(key)}: ${canonicalJson(item)}`).join(', ')}}`;
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
