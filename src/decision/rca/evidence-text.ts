import { cutCodePoints, stripControls } from '../../foreign/hygiene.js';
import { isObject, type Json, type JsonObject } from '../../foreign/json.js';
import { compareCodePoints } from '../../foreign/order.js';
import type { Redact } from '../../foreign/redact.js';

const MAX_ITEMS = 10;
const MAX_KEYS = 64;
const MAX_DEPTH = 6;
const MAX_STRING = 500;
const ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * Evidence as indented lines (spec 05 B.7): keys sorted, `key: value`, one dash line for each of the first ten items of a
 * list. Every line is cleaned, redacted and only then cut, and has its line breaks escaped, so that nothing in it can pass
 * for a line of ours.
 */
export function evidenceLines(evidence: JsonObject, redact: Redact): string[] {
  return objectLines(evidence, '  ', 1, redact);
}

/** One value of ours or of others as a single line. */
export function oneLine(value: string, redact: Redact): string {
  const bounded = cutCodePoints(value, MAX_STRING * 4);
  const line = redact(stripControls(bounded)).replace(/[\n\r\t]/g, (control) => ESCAPES[control] ?? ' ');
  const kept = cutCodePoints(line, MAX_STRING);
  return kept.length < line.length || bounded.length < value.length ? `${kept}…` : kept;
}

function objectLines(object: JsonObject, indent: string, depth: number, redact: Redact): string[] {
  const keys = Object.keys(object)
    .filter((key) => object[key] !== undefined)
    .sort(compareCodePoints);
  const lines = keys
    .slice(0, MAX_KEYS)
    .flatMap((key) => valueLines(key, object[key] ?? null, indent, depth, redact));
  return keys.length > MAX_KEYS ? [...lines, `${indent}… ${keys.length - MAX_KEYS} more`] : lines;
}

function valueLines(key: string, value: Json, indent: string, depth: number, redact: Redact): string[] {
  const name = oneLine(key, redact);
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_ITEMS).map((item) => `${indent}  - ${oneLine(inline(item), redact)}`);
    const rest = value.length > MAX_ITEMS ? [`${indent}  … ${value.length - MAX_ITEMS} more`] : [];
    return [`${indent}${name}:`, ...items, ...rest];
  }
  if (isObject(value) && depth < MAX_DEPTH) {
    return [`${indent}${name}:`, ...objectLines(value, `${indent}  `, depth + 1, redact)];
  }
  // Name and value are redacted together: many secrets are known by their name alone.
  return [`${indent}${oneLine(`${key}: ${inline(value)}`, redact)}`];
}

function inline(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
