import { lazy } from './lazy.js';

const SPECIAL = /[.*+?^${}()|[\]\\]/g;

/**
 * A matcher for the given text as a whole word or words: any letter case, no letter, digit or `_` directly before or after,
 * and each blank in it standing for one or more white-space characters.
 */
export function wholeWords(words: string): { test(text: string): boolean } {
  const pattern = lazy(() => {
    const source = words.replace(SPECIAL, '\\$&').replace(/ +/g, '\\s+');
    return new RegExp(`(?<![\\p{L}\\p{N}_])${source}(?![\\p{L}\\p{N}_])`, 'iu');
  });
  return { test: (text) => pattern().test(text) };
}
