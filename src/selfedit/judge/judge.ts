import type { Case } from '../cases/case.js';
import type { CallUsage } from '../executor/executor.js';

/** What a judge says of an answer: 0 to 1, or that nothing usable was said. */
export type Rating = { readonly usage: CallUsage } & (
  | { readonly ok: true; readonly score: number }
  | { readonly ok: false; readonly problem: string }
);

/** A second model that rates prose. It is reported, and never decides (spec 08 §1, §21). Never throws. */
export interface Judge {
  readonly model: string;
  rate(testCase: Case, answer: string): Promise<Rating>;
  /** Upper bound of one rating, US dollars. */
  worstCaseUsd(testCase: Case): number;
}

const SCORE = /^[ \t]*score[ \t]*:[ \t]*(0(?:\.\d+)?|1(?:\.0+)?)[ \t]*$/i;

/**
 * The number on the last line, if that line is `score:` and one number from 0 to 1; else null. A first number anywhere is no
 * score: "8/10" and "2 of 3" say something else (spec 08 W18).
 */
export function parseScore(reply: string): number | null {
  const last = reply.trimEnd().split('\n').at(-1) ?? '';
  const found = SCORE.exec(last)?.[1];
  return found === undefined ? null : Number(found);
}
