import type { Json } from './json.js';
import { lazy } from './lazy.js';

/** Containers deeper than this print as `...`, so that no payload can exhaust the stack. */
const MAX_DEPTH = 200;
const UNPRINTABLE = lazy(() => /[\p{C}\p{Zl}\p{Zp}\p{Zs}]/u);

/**
 * Python's `str` of a JSON value: text unchanged, `True`, `False`, `None`, numbers as Python prints them, lists and objects
 * as literals (spec 03 §3 "Text form"). An integral number below 1e16 prints as an integer, because 7 and 7.0 are one here.
 */
export function pythonText(value: Json | undefined): string {
  return typeof value === 'string' ? value : pythonRepr(value);
}

/** Python's `repr` of a JSON value, with the quoting of spec 01 §2.9. */
export function pythonRepr(value: Json | undefined): string {
  return reprAt(value, 0);
}

/** Python's text of a number: shortest round trip, exponent below 1e-4 and from 1e16 on, with two digits at least. */
export function pythonNumber(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf';
  const magnitude = Math.abs(value);
  if (Number.isInteger(value) && magnitude < 1e16) return String(value + 0);
  if (magnitude >= 1e-4 && magnitude < 1e16) return String(value);
  const [mantissa = '', exponent = ''] = value.toExponential().split('e');
  const sign = exponent.charAt(0);
  return `${mantissa}e${sign}${exponent.slice(1).padStart(2, '0')}`;
}

function reprAt(value: Json | undefined, depth: number): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return pythonNumber(value);
  if (typeof value === 'string') return quote(value);
  if (depth >= MAX_DEPTH) return '...';
  if (Array.isArray(value)) return `[${value.map((item) => reprAt(item, depth + 1)).join(', ')}]`;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return `{${entries.map(([key, item]) => `${quote(key)}: ${reprAt(item, depth + 1)}`).join(', ')}}`;
}

function quote(source: string): string {
  const mark = source.includes("'") && !source.includes('"') ? '"' : "'";
  let out = mark;
  for (const char of source) out += escapeChar(char, mark);
  return out + mark;
}

function escapeChar(char: string, mark: string): string {
  if (char === mark || char === '\\') return `\\${char}`;
  if (char === '\n') return '\\n';
  if (char === '\r') return '\\r';
  if (char === '\t') return '\\t';
  if (char === ' ' || !UNPRINTABLE().test(char)) return char;
  const code = char.codePointAt(0) ?? 0;
  if (code <= 0xff) return `\\x${hex(code, 2)}`;
  return code <= 0xffff ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

function hex(code: number, width: number): string {
  return code.toString(16).padStart(width, '0');
}
