import {
  type BandLimits,
  bandOf,
  type ConfidenceLevel,
  clampTo,
  DEFAULT_BANDS,
  isConfidenceLevel,
  rankOf,
} from '../model/confidence.js';
import { joinNotes } from './governor.js';

export interface Verdict {
  readonly decision: string;
  readonly targetBand: ConfidenceLevel;
  readonly reason: string;
}

export interface Verified {
  readonly confidence: number;
  readonly level: ConfidenceLevel;
  readonly note: string | null;
}

/** Applies a verdict: it can only take away (spec 07 A10). `exact` asks for the word in lower case, as the reference does. */
export function applyVerdict(
  before: Verified,
  verdict: Verdict,
  exact: boolean,
  limits: BandLimits = DEFAULT_BANDS,
): Verified {
  const word = exact ? verdict.decision : verdict.decision.toLowerCase();
  if (word !== 'downgrade' || rankOf(verdict.targetBand) >= rankOf(before.level)) return before;
  const confidence = clampTo(before.confidence, verdict.targetBand, limits);
  return { confidence, level: bandOf(confidence, limits), note: joinNotes(before.note, verdict.reason) };
}

/** A verdict as a model wrote it, or null when it is none. */
export function parseVerdict(value: {
  readonly decision?: unknown;
  readonly target_band?: unknown;
  readonly reason?: unknown;
}): Verdict | null {
  const { decision, target_band: band, reason } = value;
  if (typeof decision !== 'string' || !isConfidenceLevel(band) || typeof reason !== 'string') return null;
  return { decision, targetBand: band, reason: reason.slice(0, 500) };
}
