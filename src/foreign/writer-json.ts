import type { Json } from './json.js';

/** Deepest nesting that is accepted (spec 02 §9). */
export const MAX_JSON_DEPTH = 200;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** A number, not the end of some text in quotes. */
const OVERFLOWING_EXPONENT = /\d[eE]\+?\d{3,}\s*(?:[,}\]]|$)/;

export type WriterJson =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly message: string };

/**
 * Parses JSON as Python's `json` module writes it (spec 02 §9): a byte order mark is skipped; `NaN`, `Infinity` and
 * `-Infinity` are absent afterwards (a key is dropped, a list element becomes null), as is a number that overflows; nesting
 * beyond 200 is a failure. Never throws.
 */
export function parseWriterJson(source: string): WriterJson {
  const text = source.startsWith('\uFEFF') ? source.slice(1) : source;
  if (nestsTooDeeply(text)) return { ok: false, message: `nested deeper than ${MAX_JSON_DEPTH}` };
  const strict = parse(text);
  if (strict.ok)
    return OVERFLOWING_EXPONENT.test(text) ? { ok: true, value: withoutNonFinite(strict.value) } : strict;
  const replaced = replaceTokens(text);
  if (replaced === text) return strict;
  const second = parse(replaced);
  return second.ok ? { ok: true, value: withoutNonFinite(second.value) } : strict;
}

function parse(text: string): WriterJson {
  try {
    const value: Json = JSON.parse(text);
    return { ok: true, value };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}

function nestsTooDeeply(text: string): boolean {
  let depth = 0;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = endOfString(text, i);
    else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (depth > MAX_JSON_DEPTH) return true;
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
  }
  return false;
}

/** Index of the closing quote of the string that opens at `start`; the text's length when it never closes. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return text.length;
}

/** Writes the three tokens outside strings as numbers that overflow, which the parser accepts. */
function replaceTokens(text: string): string {
  const parts: string[] = [];
  let from = 0;
  while (from < text.length) {
    const quote = text.indexOf('"', from);
    const outside = text.slice(from, quote === -1 ? text.length : quote);
    parts.push(outside.replace(/-?\bInfinity\b|\bNaN\b/g, '1e999'));
    if (quote === -1) break;
    const end = endOfString(text, quote);
    parts.push(text.slice(quote, end + 1));
    from = end + 1;
  }
  return parts.join('');
}

/** The nesting is bounded by now, so recursion is safe. */
function withoutNonFinite(value: Json): Json {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutNonFinite);
  const kept: [string, Json][] = [];
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined || (typeof item === 'number' && !Number.isFinite(item))) continue;
    kept.push([key, withoutNonFinite(item)]);
  }
  return Object.fromEntries(kept);
}
