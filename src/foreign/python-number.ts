import { type Cursor, take } from './literal-cursor.js';
import { endOfWord } from './word-end.js';

const SIGN = /[+-][ \t\f]*/y;
const BASED = /0(?:[xX](?:_?[0-9a-fA-F])+|[oO](?:_?[0-7])+|[bB](?:_?[01])+)/y;
const FLOAT =
  /(?:\d(?:_?\d)*\.(?:\d(?:_?\d)*)?|\.\d(?:_?\d)*)(?:[eE][+-]?\d(?:_?\d)*)?|\d(?:_?\d)*[eE][+-]?\d(?:_?\d)*/y;
const DECIMAL = /0(?:_?0)*|[1-9](?:_?\d)*/y;
const NON_FINITE = /(?:nan|inf)/y;

/** A number as Python writes it. */
export interface PythonNumber {
  /** Null when it is not finite. */
  readonly value: number | null;
  readonly type: 'int' | 'float';
}

/** A number literal with at most one sign; undefined when there is none, or it runs into a letter or digit. */
export function readNumber(cursor: Cursor): PythonNumber | undefined {
  const plain = readPlain(cursor);
  if (plain !== undefined) return plain;
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
  return undefined;
}

/** A number that runs into a letter or digit (`007`, `1j`, `0x`) is none. */
function endNumber(cursor: Cursor, value: number, type: 'int' | 'float'): PythonNumber | undefined {
  if (endOfWord(cursor.text, cursor.at) > cursor.at) return undefined;
  if (type === 'int' && Object.is(value, -0)) return { value: 0, type };
  return { value: Number.isFinite(value) ? value : null, type };
}

const isDigit = (code: number) => code >= 48 && code <= 57;

/**
 * The forms that `repr` writes, read by hand: expressions cost their compilation, and nearly every number is one of these.
 * Undefined, with the cursor where it was, for every other form.
 */
function readPlain(cursor: Cursor): PythonNumber | undefined {
  const { text } = cursor;
  const start = text.charCodeAt(cursor.at) === 45 ? cursor.at + 1 : cursor.at;
  let at = digitsFrom(text, start);
  if (at === start || (text.charCodeAt(start) === 48 && at > start + 1)) return undefined;
  const isFloat = text.charAt(at) === '.' && isDigit(text.charCodeAt(at + 1));
  if (isFloat) at = digitsFrom(text, at + 1);
  const next = text.charCodeAt(at);
  const ends =
    Number.isNaN(next) ||
    next === 44 ||
    next === 93 ||
    next === 125 ||
    next === 41 ||
    next === 58 ||
    next === 32;
  if (!ends) return undefined;
  const value = Number(text.slice(cursor.at, at));
  if (!Number.isFinite(value)) return undefined;
  cursor.at = at;
  return isFloat ? { value, type: 'float' } : { value: value + 0, type: 'int' };
}

function digitsFrom(text: string, from: number): number {
  let at = from;
  while (isDigit(text.charCodeAt(at))) at += 1;
  return at;
}
