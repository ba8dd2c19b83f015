import { roundHalfEven } from '../../foreign/round.js';
import {
  type BandLimits,
  bandOf,
  type ConfidenceLevel,
  ceilingOf,
  DEFAULT_BANDS,
} from '../model/confidence.js';
import type { ErrorType } from '../model/error-type.js';
import type { EvidenceItem } from '../model/evidence.js';
import type { Alternative } from '../model/heal-result.js';
import { type Issue, isRelevant, namesSlowness } from '../policy/relevance.js';
import { finalScore, rank, type Scored } from './score.js';

/** What the engine without a model concludes from signals (spec 07 B9.3). */
export interface EngineVerdict {
  readonly winner: Scored | null;
  readonly errorType: ErrorType;
  readonly subject: string | null;
  readonly confidence: number;
  readonly level: ConfidenceLevel;
  readonly supported: ConfidenceLevel;
  /** Score before the ceilings. */
  readonly claimed: number;
  readonly classes: readonly string[];
  readonly alternatives: readonly Alternative[];
  readonly isAmbiguous: boolean;
  readonly isRelevant: boolean;
}

const UNKNOWN_CONFIDENCE = 0.3;
const MAX_CONFIDENCE = 0.8;
const MAX_ALTERNATIVES = 3;
const DIGITS = 3;

/** The items that count as signals of the engine: a level word alone says nothing about a cause. */
export function engineSignals(items: readonly EvidenceItem[], issue: Issue): EvidenceItem[] {
  return items.filter((item) => {
    if (item.cls === 'log') return item.fingerprint !== null;
    return item.kind !== 'slow' || namesSlowness(issue);
  });
}

/** Steps 1 to 13; `isAnchored` is asked once, for the winner. */
export function judge(
  signals: readonly EvidenceItem[],
  issue: Issue,
  isAnchored: (winner: Scored) => boolean,
  maxGapS: number,
  limits: BandLimits = DEFAULT_BANDS,
): EngineVerdict {
  const { hypotheses, isAmbiguous } = rank(signals, maxGapS);
  const winner = hypotheses[0];
  if (winner === undefined) return unknown(limits);
  const anchored = isAnchored(winner);
  const claimed = finalScore(winner, isAmbiguous, anchored);
  const isSlow = signals.some(
    ({ kind, entities }) => kind === 'slow' && winner.subject !== null && entities.includes(winner.subject),
  );
  const relevant = isRelevant(issue, winner.errorType, isSlow);
  const supported = relevant && (winner.classes.length >= 2 || anchored) ? 'medium' : 'low';
  return {
    winner,
    errorType: winner.errorType,
    subject: winner.subject,
    ...limited(claimed, supported, limits),
    supported,
    claimed,
    classes: winner.classes,
    alternatives: hypotheses.slice(1, 1 + MAX_ALTERNATIVES).map(({ errorType, subject, score }) => ({
      error_type: errorType,
      subject,
      score: roundHalfEven(score, DIGITS),
    })),
    isAmbiguous,
    isRelevant: relevant,
  };
}

/** The number and its band, held below what is supported (step 12). */
export function limited(
  claimed: number,
  supported: ConfidenceLevel,
  limits: BandLimits = DEFAULT_BANDS,
): { confidence: number; level: ConfidenceLevel } {
  const confidence = roundHalfEven(Math.min(claimed, ceilingOf(supported, limits), MAX_CONFIDENCE), DIGITS);
  return { confidence, level: bandOf(confidence, limits) };
}

function unknown(limits: BandLimits): EngineVerdict {
  return {
    winner: null,
    errorType: 'unknown',
    subject: null,
    confidence: UNKNOWN_CONFIDENCE,
    level: bandOf(UNKNOWN_CONFIDENCE, limits),
    supported: 'low',
    claimed: UNKNOWN_CONFIDENCE,
    classes: [],
    alternatives: [],
    isAmbiguous: false,
    isRelevant: true,
  };
}
