/** Python's idea of white space and line ends, which differs from JavaScript's (spec 01 §2.1). */

/** Characters of Python's `str.isspace`, for use inside a character class; U+FEFF is not among them. */
export const PY_SPACE =
  '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';

const LINE_END = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/;
const RARE_SPACES: readonly number[] = [0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000];
const ODD_LINE_END = /[\r\v\f\x1c-\x1e\x85\u2028\u2029]/;
/** True for one UTF-16 unit that Python counts as white space. */
export function isPythonSpace(code: number): boolean {
  if (code < 0x80) return code === 32 || (code >= 9 && code <= 13) || (code >= 28 && code <= 31);
  if (code >= 0x2000 && code <= 0x200a) return true;
  return RARE_SPACES.includes(code);
}

/** Python's `str.strip()`. Scans from both ends, so it is linear whatever the text. */
export function trimPython(source: string): string {
  let start = 0;
  let end = source.length;
  while (start < end && isPythonSpace(source.charCodeAt(start))) start += 1;
  while (end > start && isPythonSpace(source.charCodeAt(end - 1))) end -= 1;
  return source.slice(start, end);
}

/** Python's `str.lstrip()`. */
export function trimStartPython(source: string): string {
  let start = 0;
  while (start < source.length && isPythonSpace(source.charCodeAt(start))) start += 1;
  return source.slice(start);
}

/** Python's `str.rstrip()`. */
export function trimEndPython(source: string): string {
  let end = source.length;
  while (end > 0 && isPythonSpace(source.charCodeAt(end - 1))) end -= 1;
  return source.slice(0, end);
}

/** Python's `str.splitlines()`, except that a final empty line may remain. */
export function splitLines(source: string): string[] {
  return ODD_LINE_END.test(source) ? source.split(LINE_END) : source.split('\n');
}
