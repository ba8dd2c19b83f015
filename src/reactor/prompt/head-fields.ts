import { isPythonSpace } from '../../foreign/python-space.js';
import { endOfWord } from '../../foreign/word-end.js';

/** What stands before the payload of an inbox row. */
export interface HeadFields {
  /** Names and raw values, in order. */
  readonly fields: readonly (readonly [string, string])[];
  /** Where the text of the payload begins; undefined without one. */
  readonly payloadAt: number | undefined;
}

/**
 * The `key=value` pairs of a row's tail up to `payload=` (spec 01 §2.8 and §12 G2): a value is quoted or runs to the next
 * white space, and whatever is quoted is skipped as a whole. Read by hand, in one pass: V8 compiles an expression over all
 * letters for longer than a tick takes to decide.
 */
export function scanHead(tail: string): HeadFields {
  const fields: [string, string][] = [];
  let at = 0;
  while (at < tail.length) {
    const wordEnd = endOfWord(tail, at);
    if (wordEnd === at) {
      at += 1;
      continue;
    }
    const name = tail.slice(at, wordEnd);
    const isToken = at === 0 || isPythonSpace(tail.charCodeAt(at - 1));
    const indexEnd = endOfIndex(tail, wordEnd);
    if (tail.charAt(indexEnd) !== '=') {
      at = wordEnd;
      continue;
    }
    const valueAt = indexEnd + 1;
    const isList = indexEnd > wordEnd;
    if (name === 'payload' && isToken && !isList) return { fields, payloadAt: valueAt };
    const valueEnd = endOfValue(tail, valueAt);
    // A list such as required_evidence[2]=… is rendered for people; only plain names are fields.
    if (valueEnd > valueAt && !isList) fields.push([name, tail.slice(valueAt, valueEnd)]);
    at = valueEnd;
  }
  return { fields, payloadAt: undefined };
}

/** End of `[digits]` at the position, or the position itself. */
function endOfIndex(text: string, from: number): number {
  if (text.charAt(from) !== '[') return from;
  let at = from + 1;
  while (text.charCodeAt(at) >= 48 && text.charCodeAt(at) <= 57) at += 1;
  return at > from + 1 && text.charAt(at) === ']' ? at + 1 : from;
}

function endOfValue(text: string, from: number): number {
  const quote = text.charAt(from);
  if (quote === "'" || quote === '"') {
    for (let at = from + 1; at < text.length; at += 1) {
      if (text.charAt(at) === '\\') at += 1;
      else if (text.charAt(at) === quote) return at + 1;
    }
  }
  let at = from;
  while (at < text.length && !isPythonSpace(text.charCodeAt(at))) at += 1;
  return at;
}
