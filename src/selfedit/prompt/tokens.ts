const TOKEN = /[a-z0-9_]+|[^\sa-z0-9_]/g;

/** Tokens as size limits count them: lower-cased words and single punctuation marks (spec 08 §24.7). */
export function tokensOf(text: string): string[] {
  return text.toLowerCase().match(TOKEN) ?? [];
}

/** Levenshtein distance of two token lists. */
export function tokenDistance(before: readonly string[], after: readonly string[]): number {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let tail = 0;
  while (
    tail < before.length - start &&
    tail < after.length - start &&
    before.at(-1 - tail) === after.at(-1 - tail)
  ) {
    tail += 1;
  }
  const a = before.slice(start, before.length - tail);
  const b = after.slice(start, after.length - tail);
  let row = Int32Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const next = new Int32Array(b.length + 1);
    next[0] = i;
    for (let j = 1; j <= b.length; j += 1) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next[j] = Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
