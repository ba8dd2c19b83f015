import {
  type BandLimits,
  bandOf,
  type ConfidenceLevel,
  clampTo,
  DEFAULT_BANDS,
  rankOf,
} from '../model/confidence.js';

export interface GovernorInput {
  readonly claimed: number;
  readonly supported: ConfidenceLevel;
  /** What is missing for the next band. */
  readonly missing: string;
  readonly note: string | null;
  /** True when the model may still be asked to think again about its number. */
  readonly mayRetry: boolean;
}

export type GovernorDecision =
  | { readonly retry: 'floor' | 'overclaim'; readonly message: string }
  | {
      readonly retry: null;
      readonly confidence: number;
      readonly level: ConfidenceLevel;
      readonly note: string | null;
    };

/** Two notes as one. */
export function joinNotes(first: string | null, second: string): string {
  return first === null || first === '' ? second : `${first} | ${second}`;
}

/** Steps 2 and 3 of spec 07 A9: an overclaim is sent back once, then cut; the level follows from the number. */
export function govern(input: GovernorInput, limits: BandLimits = DEFAULT_BANDS): GovernorDecision {
  const { claimed, supported, missing, note, mayRetry } = input;
  const band = bandOf(claimed, limits);
  if (rankOf(band) <= rankOf(supported)) return { retry: null, confidence: claimed, level: band, note };
  if (mayRetry) {
    const message = `a confidence of ${claimed} is ${band}, but the evidence supports ${supported} at most; ${missing}`;
    return { retry: 'overclaim', message };
  }
  const confidence = clampTo(claimed, supported, limits);
  return { retry: null, confidence, level: bandOf(confidence, limits), note: joinNotes(note, missing) };
}

/**
 * The reference's governor: as {@link govern}, behind a floor below which an answer is sent back each time, and with a note
 * of its own only where the model wrote none (spec 07 A9).
 */
export function governReference(
  input: GovernorInput,
  retryBelow: number,
  limits: BandLimits = DEFAULT_BANDS,
): GovernorDecision {
  if (input.claimed < retryBelow) {
    const message = `a confidence of ${input.claimed} is below ${retryBelow}; collect more evidence`;
    return { retry: 'floor', message };
  }
  const decision = govern(input, limits);
  if (decision.retry !== null || input.note === null || decision.note === null) return decision;
  return { ...decision, note: input.note };
}
