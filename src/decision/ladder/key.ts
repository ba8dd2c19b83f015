const SEPARATOR = '\u001f';

/** Name and subject of a key in text form; pairs are split at their first `=` (spec 05 A.12.2 step 7). */
export function splitKey(key: string): {
  readonly name: string;
  readonly subject: Readonly<Record<string, string>>;
} {
  const [name = '', ...pairs] = key.split(SEPARATOR);
  const subject = pairs.map((pair) => {
    const at = pair.indexOf('=');
    return at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
  });
  return { name, subject: Object.fromEntries(subject) };
}
