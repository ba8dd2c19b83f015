import { lazy } from './lazy.js';
import { type Cursor, peek, take } from './literal-cursor.js';

const SIGN = /[+-][ \t\f]*/y;
const BASED = /0(?:[xX](?:_?[0-9a-fA-F])+|[oO](?:_?[0-7])+|[bB](?:_?[01])+)/y;
const FLOAT =
  /(?:\d(?:_?\d)*\.(?:\d(?:_?\d)*)?|\.\d(?:_?\d)*)(?:[eE][+-]?\d(?:_?\d)*)?|\d(?:_?\d)*[eE][+-]?\d(?:_?\d)*/y;
const DECIMAL = /0(?:_?0)*|[1-9](?:_?\d)*/y;
const NON_FINITE = /(?:nan|inf)/y;
const WORD_CHARACTER = lazy(() => /[\p{L}\p{N}_]/u);

/** A number as Python writes it. */
export interface PythonNumber {
  /** Null when it is not finite. */
  readonly value: number | null;
  readonly type: 'int' | 'float';
}

/** A number literal with at most one sign; undefined when there is none, or it runs into a letter or digit. */
export function readNumber(cursor: Cursor): PythonNumber | undefined {
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
  if (WORD_CHARACTER().test(peek(cursor))) return undefined;
  if (type === 'int' && Object.is(value, -0)) return { value: 0, type };
  return { value: Number.isFinite(value) ? value : null, type };
}
