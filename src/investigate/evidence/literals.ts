import type { Fingerprint } from './fingerprint-table.js';
import { matchedSpans } from './fingerprints.js';

const WORD = /\p{L}[\p{L}'._-]*/gu;
const MIN_WORDS = 3;
const MIN_CHARACTERS = 12;

/**
 * The shortest distinctive texts of a log line: three or more words in a row, 12 characters together, outside what the
 * fingerprint itself matched (spec 07 B11.1). A program that writes such a line holds one of them.
 */
export function distinctiveLiterals(line: string, fingerprint: Fingerprint): string[] {
  const literals = new Set<string>();
  for (const segment of outside(line, matchedSpans(fingerprint, line))) {
    for (const run of wordRuns(segment)) {
      for (let from = 0; from + MIN_WORDS <= run.length; from += 1) {
        const literal = shortestFrom(run, from);
        if (literal !== null) literals.add(literal);
      }
    }
  }
  return [...literals];
}

function shortestFrom(run: readonly string[], from: number): string | null {
  for (let to = from + MIN_WORDS; to <= run.length; to += 1) {
    const literal = run.slice(from, to).join(' ');
    if (literal.length >= MIN_CHARACTERS) return literal;
  }
  return null;
}

/** Runs of words with exactly one blank between them. */
function wordRuns(segment: string): string[][] {
  const runs: string[][] = [];
  let end = -2;
  for (const match of segment.matchAll(WORD)) {
    const continues = match.index === end + 1 && segment[end] === ' ';
    const last = runs.at(-1);
    if (continues && last !== undefined) last.push(match[0]);
    else runs.push([match[0]]);
    end = match.index + match[0].length;
  }
  return runs;
}

function outside(line: string, spans: readonly { start: number; end: number }[]): string[] {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of spans) {
    parts.push(line.slice(from, start));
    from = end;
  }
  parts.push(line.slice(from));
  return parts;
}
