import { type Cursor, peek, skipBlanks } from './literal-cursor.js';

const PLAIN_SINGLE = /'([^'\\]*)'/y;
const PLAIN_DOUBLE = /"([^"\\]*)"/y;

/** Prefixes of bytes and f-strings, which are no texts. */
const NO_TEXT = /[bf]/i;

/**
 * Adjacent string literals as one text, the cursor at the first quote; undefined for what is unterminated, malformed, or no
 * text. The cursor then stands where it failed.
 */
export function readText(cursor: Cursor, prefix = ''): string | undefined {
  const parts: string[] = [];
  let nextPrefix = prefix;
  for (;;) {
    const part = readString(cursor, nextPrefix);
    if (part === undefined) return undefined;
    parts.push(part);
    skipBlanks(cursor);
    nextPrefix = stringPrefix(cursor);
    if (nextPrefix !== '') cursor.at += nextPrefix.length;
    else if (peek(cursor) !== "'" && peek(cursor) !== '"') break;
    if (NO_TEXT.test(nextPrefix)) return undefined;
  }
  return parts.join('');
}

const PREFIX = /(?:[uU]|[rR][bB]?|[bB][rR]?|[fF][rR]?|[rR][fF])(?=['"])/y;

/** The prefix of a string literal at the cursor, empty when none begins here. */
export function stringPrefix(cursor: Cursor): string {
  PREFIX.lastIndex = cursor.at;
  return PREFIX.exec(cursor.text)?.[0] ?? '';
}

function readString(cursor: Cursor, prefix: string): string | undefined {
  const quote = peek(cursor);
  const isTriple = cursor.text.startsWith(quote.repeat(3), cursor.at);
  if (!isTriple) {
    const plain = quote === "'" ? PLAIN_SINGLE : PLAIN_DOUBLE;
    plain.lastIndex = cursor.at;
    const match = plain.exec(cursor.text);
    if (match) {
      cursor.at += match[0].length;
      return match[1];
    }
  }
  const delimiter = isTriple ? quote.repeat(3) : quote;
  cursor.at += delimiter.length;
  const isRaw = /r/i.test(prefix);
  const out: string[] = [];
  for (;;) {
    const stop = nextSpecial(cursor, quote);
    if (stop < 0) return undefined;
    out.push(cursor.text.slice(cursor.at, stop));
    cursor.at = stop;
    if (cursor.text.charAt(stop) === '\\') {
      const decoded = isRaw ? rawEscape(cursor) : readEscape(cursor);
      if (decoded === undefined) return undefined;
      out.push(decoded);
    } else if (cursor.text.startsWith(delimiter, stop)) {
      cursor.at += delimiter.length;
      return out.join('');
    } else {
      out.push(quote);
      cursor.at += 1;
    }
  }
}

/** Index of the next backslash or quote at or after the cursor, or -1. */
function nextSpecial(cursor: Cursor, quote: string): number {
  for (let i = cursor.at; i < cursor.text.length; i += 1) {
    const char = cursor.text.charAt(i);
    if (char === '\\' || char === quote) return i;
  }
  return -1;
}

function rawEscape(cursor: Cursor): string | undefined {
  const pair = cursor.text.slice(cursor.at, cursor.at + 2);
  cursor.at += 2;
  return pair.length === 2 ? pair : undefined;
}

const SIMPLE_ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\n': '',
};
const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

function readEscape(cursor: Cursor): string | undefined {
  const char = cursor.text.charAt(cursor.at + 1);
  if (char === '' || char === 'N') return undefined;
  const simple = SIMPLE_ESCAPES[char];
  if (simple !== undefined) {
    cursor.at += 2;
    return simple;
  }
  const digits = HEX_DIGITS[char];
  if (digits !== undefined) return hexEscape(cursor, digits);
  if (char >= '0' && char <= '7') return octalEscape(cursor);
  cursor.at += 2;
  return `\\${char}`;
}

function hexEscape(cursor: Cursor, digits: number): string | undefined {
  const hex = cursor.text.slice(cursor.at + 2, cursor.at + 2 + digits);
  if (hex.length !== digits || !/^[0-9a-fA-F]+$/.test(hex)) return undefined;
  const code = Number.parseInt(hex, 16);
  if (code > 0x10ffff) return undefined;
  cursor.at += 2 + digits;
  return code > 0xffff ? String.fromCodePoint(code) : String.fromCharCode(code);
}

const OCTAL = /[0-7]{1,3}/y;

function octalEscape(cursor: Cursor): string {
  OCTAL.lastIndex = cursor.at + 1;
  const digits = OCTAL.exec(cursor.text)?.[0] ?? '0';
  cursor.at += 1 + digits.length;
  return String.fromCharCode(Number.parseInt(digits, 8));
}
