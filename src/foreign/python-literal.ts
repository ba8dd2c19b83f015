import { isObject, type Json } from './json.js';
import { lazy } from './lazy.js';

/** Python type names that a decoded literal can have. */
export type PythonType = 'str' | 'int' | 'float' | 'bool' | 'NoneType' | 'list' | 'tuple' | 'dict' | 'set';

export type Literal =
  | { readonly ok: true; readonly value: Json; readonly type: PythonType }
  | { readonly ok: false; readonly reason: string };

/** Bracket nesting beyond this is undecodable. */
export const MAX_NESTING = 200;

/**
 * Decodes a Python literal as `repr` writes it, without evaluating anything (spec 01 §2.9). Tuples and sets become
 * arrays, dictionary keys become text as Python's JSON writer would give them, non-finite floats become null. Names,
 * calls, arithmetic, bytes, complex numbers, `...` and whatever is left over make it undecodable. Never throws.
 */
export function parsePythonLiteral(source: string): Literal {
  const cursor: Cursor = { text: source, at: 0, depth: 0 };
  skipBlanks(cursor);
  const first = readValue(cursor);
  if (!first.ok) return first;
  skipBlanks(cursor);
  const whole = peek(cursor) === ',' ? readBareTuple(cursor, first.node) : first;
  if (!whole.ok) return whole;
  skipBlanks(cursor);
  if (peek(cursor) === '#') return { ok: true, value: whole.node.value, type: whole.node.type };
  if (cursor.at < source.length) return { ok: false, reason: `text after the literal at ${cursor.at}` };
  return { ok: true, value: whole.node.value, type: whole.node.type };
}

interface Cursor {
  readonly text: string;
  at: number;
  depth: number;
}

interface Node {
  readonly value: Json;
  readonly type: PythonType;
}

type Read = { readonly ok: true; readonly node: Node } | { readonly ok: false; readonly reason: string };

const good = (value: Json, type: PythonType): Read => ({ ok: true, node: { value, type } });
const bad = (reason: string): Read => ({ ok: false, reason });

function peek(cursor: Cursor): string {
  return cursor.text.charAt(cursor.at);
}

function skipBlanks(cursor: Cursor): void {
  for (;;) {
    const code = cursor.text.charCodeAt(cursor.at);
    if (code !== 32 && code !== 9 && code !== 12) return;
    cursor.at += 1;
  }
}

function readValue(cursor: Cursor): Read {
  const char = peek(cursor);
  if (char === "'" || char === '"') return readStrings(cursor);
  if (char === '{') return nested(cursor, readBraces);
  if (char === '[') return nested(cursor, readList);
  if (char === '(') return nested(cursor, readParentheses);
  if (char === '+' || char === '-' || char === '.' || (char >= '0' && char <= '9')) return readNumber(cursor);
  return readWord(cursor);
}

function nested(cursor: Cursor, read: (cursor: Cursor) => Read): Read {
  if (cursor.depth >= MAX_NESTING) return bad(`brackets nested deeper than ${MAX_NESTING}`);
  cursor.depth += 1;
  cursor.at += 1;
  const result = read(cursor);
  cursor.depth -= 1;
  return result;
}

/** Items up to the closing bracket; the opening one is behind the cursor. */
function readItems(cursor: Cursor, close: string): { items: Node[]; trailingComma: boolean } | string {
  const items: Node[] = [];
  let trailingComma = false;
  for (;;) {
    skipBlanks(cursor);
    if (peek(cursor) === close && (items.length === 0 || trailingComma)) break;
    const item = readValue(cursor);
    if (!item.ok) return item.reason;
    items.push(item.node);
    skipBlanks(cursor);
    trailingComma = peek(cursor) === ',';
    if (trailingComma) cursor.at += 1;
    else if (peek(cursor) === close) break;
    else return `expected , or ${close} at ${cursor.at}`;
  }
  cursor.at += 1;
  return { items, trailingComma };
}

const valuesOf = (nodes: readonly Node[]): Json[] => nodes.map((node) => node.value);

function readList(cursor: Cursor): Read {
  const read = readItems(cursor, ']');
  return typeof read === 'string' ? bad(read) : good(valuesOf(read.items), 'list');
}

function readParentheses(cursor: Cursor): Read {
  const read = readItems(cursor, ')');
  if (typeof read === 'string') return bad(read);
  const [only] = read.items;
  if (only !== undefined && read.items.length === 1 && !read.trailingComma) return { ok: true, node: only };
  return good(valuesOf(read.items), 'tuple');
}

function readBareTuple(cursor: Cursor, first: Node): Read {
  const items = [first];
  while (peek(cursor) === ',') {
    cursor.at += 1;
    skipBlanks(cursor);
    if (cursor.at >= cursor.text.length || peek(cursor) === '#') break;
    const item = readValue(cursor);
    if (!item.ok) return item;
    items.push(item.node);
    skipBlanks(cursor);
  }
  return good(valuesOf(items), 'tuple');
}

/** A dictionary or a set; which one shows at the first item. */
function readBraces(cursor: Cursor): Read {
  skipBlanks(cursor);
  if (peek(cursor) === '}') {
    cursor.at += 1;
    return good({}, 'dict');
  }
  const entries = new Map<string, { text: string; value: Json }>();
  let kind: 'dict' | 'set' | undefined;
  for (;;) {
    skipBlanks(cursor);
    if (kind !== undefined && peek(cursor) === '}') break;
    const key = readValue(cursor);
    if (!key.ok) return key;
    const identity = keyIdentity(key.node);
    if (identity === undefined) return bad('unhashable key or member');
    skipBlanks(cursor);
    const isPair = peek(cursor) === ':';
    kind ??= isPair ? 'dict' : 'set';
    if (isPair !== (kind === 'dict')) return bad('dictionary and set mixed');
    const value = isPair ? readPairValue(cursor) : key;
    if (!value.ok) return value;
    // Python keeps the first of equal keys and the last value.
    const known = entries.get(identity);
    entries.set(identity, {
      text: known?.text ?? keyText(key.node),
      value: isPair ? value.node.value : (known?.value ?? key.node.value),
    });
    skipBlanks(cursor);
    if (peek(cursor) === ',') cursor.at += 1;
    else if (peek(cursor) !== '}') return bad(`expected , or } at ${cursor.at}`);
  }
  cursor.at += 1;
  const all = [...entries.values()];
  if (kind === 'set')
    return good(
      all.map((entry) => entry.value),
      'set',
    );
  return good(toObject(all), 'dict');
}

function toObject(entries: readonly { text: string; value: Json }[]): Json {
  return Object.fromEntries(entries.map(({ text, value }) => [text, value]));
}

function readPairValue(cursor: Cursor): Read {
  cursor.at += 1;
  skipBlanks(cursor);
  return readValue(cursor);
}

/** What makes two keys equal in Python; undefined for what cannot be a key, or has no JSON text. */
function keyIdentity(node: Node): string | undefined {
  if (node.type === 'str') return `s${String(node.value)}`;
  if (node.type === 'int' || node.type === 'float') return `n${String(node.value)}`;
  if (node.type === 'bool') return `n${node.value === true ? 1 : 0}`;
  if (node.type === 'NoneType') return 'none';
  return undefined;
}

function keyText(node: Node): string {
  if (node.type === 'float' && typeof node.value === 'number' && Number.isInteger(node.value)) {
    return Math.abs(node.value) < 1e16 ? `${node.value}.0` : String(node.value);
  }
  return isObject(node.value) ? '' : String(node.value);
}

const PLAIN_SINGLE = /'([^'\\]*)'/y;
const PLAIN_DOUBLE = /"([^"\\]*)"/y;

function readStrings(cursor: Cursor, prefix = ''): Read {
  const parts: string[] = [];
  let nextPrefix = prefix;
  for (;;) {
    const part = readString(cursor, nextPrefix);
    if (part === undefined) return bad(`unterminated or malformed string at ${cursor.at}`);
    parts.push(part);
    skipBlanks(cursor);
    nextPrefix = stringPrefix(cursor);
    if (nextPrefix !== '') cursor.at += nextPrefix.length;
    else if (peek(cursor) !== "'" && peek(cursor) !== '"') break;
    if (/[bf]/i.test(nextPrefix)) return bad('bytes and f-strings are not decoded');
  }
  return good(parts.length === 1 ? (parts[0] ?? '') : parts.join(''), 'str');
}

const PREFIX = /(?:[uU]|[rR][bB]?|[bB][rR]?|[fF][rR]?|[rR][fF])(?=['"])/y;

function stringPrefix(cursor: Cursor): string {
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

const SIGN = /[+-][ \t\f]*/y;
const BASED = /0(?:[xX](?:_?[0-9a-fA-F])+|[oO](?:_?[0-7])+|[bB](?:_?[01])+)/y;
const FLOAT =
  /(?:\d(?:_?\d)*\.(?:\d(?:_?\d)*)?|\.\d(?:_?\d)*)(?:[eE][+-]?\d(?:_?\d)*)?|\d(?:_?\d)*[eE][+-]?\d(?:_?\d)*/y;
const DECIMAL = /0(?:_?0)*|[1-9](?:_?\d)*/y;
const NON_FINITE = /(?:nan|inf)/y;
const WORD_CHARACTER = lazy(() => /[\p{L}\p{N}_]/u);

function readNumber(cursor: Cursor): Read {
  const sign = take(cursor, SIGN);
  const factor = sign?.startsWith('-') ? -1 : 1;
  const based = take(cursor, BASED);
  if (based !== undefined) return endNumber(cursor, factor * Number(based.replaceAll('_', '')), 'int');
  const float = take(cursor, FLOAT);
  if (float !== undefined) return endNumber(cursor, factor * Number(float.replaceAll('_', '')), 'float');
  const decimal = take(cursor, DECIMAL);
  if (decimal !== undefined) return endNumber(cursor, factor * Number(decimal.replaceAll('_', '')), 'int');
  if (sign !== undefined && take(cursor, NON_FINITE) !== undefined)
    return endNumber(cursor, Number.NaN, 'float');
  return bad(`no number at ${cursor.at}`);
}

/** A number that runs into a letter or digit (`007`, `1j`, `0x`) is none. */
function endNumber(cursor: Cursor, value: number, type: 'int' | 'float'): Read {
  if (WORD_CHARACTER().test(peek(cursor))) return bad(`malformed number at ${cursor.at}`);
  if (type === 'int' && Object.is(value, -0)) return good(0, type);
  return good(Number.isFinite(value) ? value : null, type);
}

function take(cursor: Cursor, pattern: RegExp): string | undefined {
  pattern.lastIndex = cursor.at;
  const match = pattern.exec(cursor.text)?.[0];
  if (match !== undefined) cursor.at += match.length;
  return match;
}

const WORD = lazy(() => /[\p{L}_][\p{L}\p{N}_]*/uy);
const EMPTY_CALL = /[ \t\f]*\([ \t\f]*\)/y;

function readWord(cursor: Cursor): Read {
  const prefix = stringPrefix(cursor);
  if (prefix !== '') {
    if (/[bf]/i.test(prefix)) return bad('bytes and f-strings are not decoded');
    cursor.at += prefix.length;
    return readStrings(cursor, prefix);
  }
  const word = take(cursor, WORD());
  if (word === 'None') return good(null, 'NoneType');
  if (word === 'True') return good(true, 'bool');
  if (word === 'False') return good(false, 'bool');
  if (word === 'nan' || word === 'inf') return good(null, 'float');
  if (word === 'set' && take(cursor, EMPTY_CALL) !== undefined) return good([], 'set');
  return bad(word === undefined ? `no literal at ${cursor.at}` : `the name ${word} is no literal`);
}
