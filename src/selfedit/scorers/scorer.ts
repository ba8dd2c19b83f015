import type { Case } from '../cases/case.js';

/** What an answer is worth. The gate uses `passed`, reports use `score` (spec 08 §21). */
export type Score = {
  /** 0 to 1. */
  readonly score: number;
  readonly passed: boolean;
  /** What was wrong, for people and for the analyzer; empty when passed. */
  readonly faults: readonly string[];
  /** The answer broke the output contract. */
  readonly violation: boolean;
};

/** Judges one answer to one case; pure, and no model. */
export type Scorer = (testCase: Case, answer: string) => Score;
