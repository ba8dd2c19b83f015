import { lazy } from './lazy.js';

const WORD_CHARACTER = lazy(() => /[\p{L}\p{N}]/u);

/**
 * Where the run of letters, digits and underscores that begins at a position ends; the position itself when none does. ASCII
 * is told by hand, because V8 compiles an expression over all letters for longer than it then takes.
 */
export function endOfWord(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code < 128) {
      if (!isAsciiWord(code)) break;
      at += 1;
    } else {
      const point = String.fromCodePoint(text.codePointAt(at) ?? code);
      if (!WORD_CHARACTER().test(point)) break;
      at += point.length;
    }
  }
  return at;
}

function isAsciiWord(code: number): boolean {
  return (
    (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95 || (code >= 97 && code <= 122)
  );
}
