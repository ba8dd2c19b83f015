import { isObject, type Json } from './json.js';
import { type Cursor, peek, skipBlanks, take } from './literal-cursor.js';
import { readNumber } from './python-number.js';
import { readText, stringPrefix } from './python-string.js';
import { endOfWord } from './word-end.js';

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

interface Node {
  readonly value: Json;
  readonly type: PythonType;
}

type Read = { readonly ok: true; readonly node: Node } | { readonly ok: false; readonly reason: string };

const good = (value: Json, type: PythonType): Read => ({ ok: true, node: { value, type } });
const bad = (reason: string): Read => ({ ok: false, reason });

function readValue(cursor: Cursor): Read {
  const char = peek(cursor);
  if (char === "'" || char === '"') return readString(cursor);
  if (char === '{') return nested(cursor, readBraces);
  if (char === '[') return nested(cursor, readList);
  if (char === '(') return nested(cursor, readParentheses);
  if (char === '+' || char === '-' || char === '.' || (char >= '0' && char <= '9')) {
    const number = readNumber(cursor);
    return number === undefined ? bad(`malformed number at ${cursor.at}`) : good(number.value, number.type);
  }
  return readWord(cursor);
}

function readString(cursor: Cursor, prefix = ''): Read {
  const text = readText(cursor, prefix);
  return text === undefined ? bad(`malformed string, or no text, at ${cursor.at}`) : good(text, 'str');
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

const EMPTY_CALL = /[ \t\f]*\([ \t\f]*\)/y;

function readWord(cursor: Cursor): Read {
  const prefix = stringPrefix(cursor);
  if (prefix !== '') {
    if (/[bf]/i.test(prefix)) return bad('bytes and f-strings are not decoded');
    cursor.at += prefix.length;
    return readString(cursor, prefix);
  }
  const word = takeWord(cursor);
  if (word === 'None') return good(null, 'NoneType');
  if (word === 'True') return good(true, 'bool');
  if (word === 'False') return good(false, 'bool');
  if (word === 'nan' || word === 'inf') return good(null, 'float');
  if (word === 'set' && take(cursor, EMPTY_CALL) !== undefined) return good([], 'set');
  return bad(word === undefined ? `no literal at ${cursor.at}` : `the name ${word} is no literal`);
}

/** The name at the cursor, which then stands behind it; undefined when none begins there. */
function takeWord(cursor: Cursor): string | undefined {
  const end = endOfWord(cursor.text, cursor.at);
  if (end === cursor.at) return undefined;
  const word = cursor.text.slice(cursor.at, end);
  cursor.at = end;
  return word;
}
