import { type Hunk, lineHunks } from '../prompt/line-diff.js';

const WORDS = ['never', 'always', 'not', 'must', 'only', 'except', 'unless', 'ignore', 'disregard'] as const;

const ANY_WORD = new RegExp(`\\b(?:${WORDS.join('|')})\\b`, 'g');

/**
 * Words of polarity that an edit adds to, removes from or swaps on existing lines without naming them in its hypothesis
 * (spec 08 §24.7): replacing *never* by *always* costs almost no drift, and turns a rule around. Each run of changed lines is
 * judged by itself, because two rules that exchange their words have as many of each as before. A line that is only moved
 * says what it said.
 */
export function unnamedPolarityChanges(base: string, candidate: string, hypothesis: string): string[] {
  const changed = withoutMoved(lineHunks(base, candidate)).filter((hunk) => hunk.old.length > 0);
  const touched = new Set(changed.flatMap(changedWords));
  const named = new Set(wordsOf(hypothesis));
  return WORDS.filter((word) => touched.has(word) && !named.has(word));
}

/** The words whose order or number differs. */
function changedWords(hunk: Pick<Hunk, 'old' | 'new'>): string[] {
  const before = wordsOf(hunk.old.join('\n'));
  const after = wordsOf(hunk.new.join('\n'));
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let tail = 0;
  const most = Math.min(before.length, after.length) - start;
  while (tail < most && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  return [...before.slice(start, before.length - tail), ...after.slice(start, after.length - tail)];
}

/** Hunks without the lines that are gone at one place and there, word for word, at another. */
function withoutMoved(hunks: readonly Hunk[]): Pick<Hunk, 'old' | 'new'>[] {
  const gone = countLines(hunks.flatMap((hunk) => hunk.old));
  const come = countLines(hunks.flatMap((hunk) => hunk.new));
  const moved = (line: string): number => Math.min(gone.get(line) ?? 0, come.get(line) ?? 0);
  const keep = (): ((line: string) => boolean) => {
    const left = new Map<string, number>();
    return (line) => {
      const skip = left.get(line) ?? moved(line);
      left.set(line, skip - 1);
      return skip <= 0;
    };
  };
  const [keepOld, keepNew] = [keep(), keep()];
  return hunks.map((hunk) => ({ old: hunk.old.filter(keepOld), new: hunk.new.filter(keepNew) }));
}

function countLines(lines: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(ANY_WORD) ?? [];
}
