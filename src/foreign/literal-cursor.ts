/** Where a literal is being read. */
export interface Cursor {
  readonly text: string;
  at: number;
  depth: number;
}

/** The character at the cursor, empty at the end. */
export function peek(cursor: Cursor): string {
  return cursor.text.charAt(cursor.at);
}

/** Passes what separates tokens: blank, tab, form feed. */
export function skipBlanks(cursor: Cursor): void {
  for (;;) {
    const code = cursor.text.charCodeAt(cursor.at);
    if (code !== 32 && code !== 9 && code !== 12) return;
    cursor.at += 1;
  }
}

/** What a sticky pattern matches at the cursor, which then stands behind it. */
export function take(cursor: Cursor, pattern: RegExp): string | undefined {
  pattern.lastIndex = cursor.at;
  const match = pattern.exec(cursor.text)?.[0];
  if (match !== undefined) cursor.at += match.length;
  return match;
}
