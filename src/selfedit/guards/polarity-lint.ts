import { lineHunks } from '../prompt/line-diff.js';

const WORDS = ['never', 'always', 'not', 'must', 'only', 'except', 'unless', 'ignore', 'disregard'] as const;

/**
 * Words of polarity that an edit adds to, removes from or swaps on existing lines without naming them in its hypothesis
 * (spec 08 §24.7): replacing *never* by *always* costs almost no drift, and turns a rule around.
 */
export function unnamedPolarityChanges(base: string, candidate: string, hypothesis: string): string[] {
  const changed = lineHunks(base, candidate).filter((hunk) => hunk.old.length > 0);
  const before = changed.flatMap((hunk) => hunk.old).join('\n');
  const after = changed.flatMap((hunk) => hunk.new).join('\n');
  return WORDS.filter((word) => count(before, word) !== count(after, word) && count(hypothesis, word) === 0);
}

function count(text: string, word: string): number {
  return text.toLowerCase().match(new RegExp(`\\b${word}\\b`, 'g'))?.length ?? 0;
}
