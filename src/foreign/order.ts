/**
 * Compares two strings by Unicode code point, as the wire order demands (spec 03 §2.3); JavaScript's own comparison is by
 * UTF-16 unit and puts astral characters before U+E000.
 */
export function compareCodePoints(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    const xIsSurrogate = x >= 0xd800 && x <= 0xdfff;
    const yIsSurrogate = y >= 0xd800 && y <= 0xdfff;
    if (xIsSurrogate === yIsSurrogate) return x - y;
    return xIsSurrogate ? (y >= 0xe000 ? 1 : x - y) : x >= 0xe000 ? -1 : x - y;
  }
  return a.length - b.length;
}
