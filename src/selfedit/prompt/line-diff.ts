/** A run of lines that differ: `old` lines became `new` ones; either may be empty. */
export interface Hunk {
  readonly at: number;
  readonly old: readonly string[];
  readonly new: readonly string[];
}

/** Lines in counts: a changed line counts once, on the larger side (spec 08 §4, §12). */
export type DiffCounts = {
  readonly lines_added: number;
  readonly lines_removed: number;
  readonly lines_modified: number;
  readonly total: number;
};

/** Beyond this many cells the common lines in the middle are not looked for: the hunk is one block. */
const MAX_CELLS = 4_000_000;

/** The differing runs of two texts, by a longest common subsequence of lines. */
export function lineHunks(before: string, after: string): Hunk[] {
  const a = before.split('\n');
  const b = after.split('\n');
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let tail = 0;
  while (tail < a.length - start && tail < b.length - start && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const oldLines = a.slice(start, a.length - tail);
  const newLines = b.slice(start, b.length - tail);
  if (oldLines.length * newLines.length > MAX_CELLS) return [{ at: start, old: oldLines, new: newLines }];
  return middleHunks(oldLines, newLines, start);
}

/** Added, removed and modified lines. */
export function diffCounts(before: string, after: string): DiffCounts {
  let added = 0;
  let removed = 0;
  let modified = 0;
  for (const hunk of lineHunks(before, after)) {
    if (hunk.old.length === 0) added += hunk.new.length;
    else if (hunk.new.length === 0) removed += hunk.old.length;
    else modified += Math.max(hunk.old.length, hunk.new.length);
  }
  return {
    lines_added: added,
    lines_removed: removed,
    lines_modified: modified,
    total: added + removed + modified,
  };
}

function middleHunks(a: readonly string[], b: readonly string[], offset: number): Hunk[] {
  const width = b.length + 1;
  const lengths = new Int32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] =
        a[i] === b[j]
          ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0);
    }
  }
  const hunks: { at: number; old: string[]; new: string[] }[] = [];
  let i = 0;
  let j = 0;
  let isOpen = false;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      i += 1;
      j += 1;
      isOpen = false;
      continue;
    }
    if (!isOpen) hunks.push({ at: offset + i, old: [], new: [] });
    isOpen = true;
    const hunk = hunks.at(-1);
    const skipOld = lengths[(i + 1) * width + j] ?? 0;
    const skipNew = lengths[i * width + j + 1] ?? 0;
    if (i < a.length && (j >= b.length || skipOld >= skipNew)) hunk?.old.push(a[i++] ?? '');
    else hunk?.new.push(b[j++] ?? '');
  }
  return hunks;
}
