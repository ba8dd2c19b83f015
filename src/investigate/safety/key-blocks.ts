const BEGIN = /-----BEGIN [A-Z0-9 ]{1,40}-----/;
const END = /-----END [A-Z0-9 ]{1,40}-----/;
/** A full line of base64 that is no digest: digests have no capital letters, or no others. */
const BODY = /^(?=.*[A-Z])(?=.*[a-z])(?=.*\d)[A-Za-z0-9+/]{60,76}={0,2}$/;
const MASK = '[redacted:pem]';
/** Longer blocks are no keys, and a mark that nothing closes must not hide the rest of a file. */
const MAX_BLOCK = 200;

/**
 * Lines with those of key blocks masked, as many as before. What is cleaned line by line cannot see that a line lies inside
 * of one (spec 07 B8.2).
 */
export function withoutKeys(lines: readonly string[]): string[] {
  let left = 0;
  return lines.map((line) => {
    const isInside = left > 0;
    if (BEGIN.test(line)) left = END.test(line) ? 0 : MAX_BLOCK;
    else if (isInside) left = END.test(line) ? 0 : left - 1;
    // The first line of a block keeps what stands before it; the redaction of texts masks the mark.
    if (isInside && !BEGIN.test(line)) return MASK;
    return BODY.test(line.trim()) ? MASK : line;
  });
}
