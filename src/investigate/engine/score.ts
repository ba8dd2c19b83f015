import { compareCodePoints } from '../../foreign/order.js';
import { sharedEntities } from '../evidence/entities.js';
import type { EvidenceItem } from '../model/evidence.js';
import { CONSEQUENCE_SLACK_S, type Hypothesis, hypothesesOf } from './hypothesis.js';

/** A hypothesis with its score after step 6 of spec 07 B9.3. */
export interface Scored extends Hypothesis {
  readonly score: number;
}

export interface Ranking {
  /** Best first; empty without a typed signal. */
  readonly hypotheses: readonly Scored[];
  /** Another one, unrelated to the winner, is nearly as likely (step 8). */
  readonly isAmbiguous: boolean;
}

const BY_CLASSES = [0, 0.55, 0.8, 0.9] as const;
const EFFECT_FACTOR = 0.85;
const FIRST_BONUS = 0.03;
const RIVAL_SHARE = 0.7;
const AMBIGUITY_FACTOR = 0.8;
const ANCHOR_BONUS = 0.05;
const ANCHORED_LEAST = 0.55;

/** What happened, by score (spec 07 B9.3, steps 1 to 8). */
export function rank(signals: readonly EvidenceItem[], maxGapS: number): Ranking {
  const found = hypothesesOf(signals, maxGapS);
  const hypotheses = found.map((one): Scored => ({ ...one, score: scoreOf(one, found) })).sort(byScore);
  const winner = hypotheses[0];
  const isAmbiguous =
    winner !== undefined &&
    hypotheses.some(
      (other) => !shareEntity(other, winner) && other !== winner && other.score >= RIVAL_SHARE * winner.score,
    );
  return { hypotheses, isAmbiguous };
}

/** The winner's score after steps 8 and 9. */
export function finalScore(winner: Scored, isAmbiguous: boolean, isAnchored: boolean): number {
  const score = winner.score * (isAmbiguous ? AMBIGUITY_FACTOR : 1);
  if (!isAnchored) return score;
  const lifted = score + ANCHOR_BONUS;
  return winner.classes.length === 1 && !isAmbiguous ? Math.max(lifted, ANCHORED_LEAST) : lifted;
}

function scoreOf(one: Hypothesis, all: readonly Hypothesis[]): number {
  const related = all.filter((other) => other !== one && shareEntity(other, one));
  const start = one.base * (BY_CLASSES[Math.min(3, one.classes.length)] ?? 0);
  const isEffect =
    one.consequenceOnly &&
    related.some((other) => !other.consequenceOnly && other.first <= one.first + CONSEQUENCE_SLACK_S);
  const score = isEffect ? start * EFFECT_FACTOR : start;
  const beganFirst = related.length > 0 && related.every((other) => one.first < other.first);
  return beganFirst ? score + FIRST_BONUS : score;
}

function shareEntity(a: Hypothesis, b: Hypothesis): boolean {
  return sharedEntities(a.entities, b.entities).length > 0;
}

function byScore(a: Scored, b: Scored): number {
  return (
    b.score - a.score ||
    (a.first === b.first ? 0 : a.first - b.first) ||
    compareCodePoints(a.errorType, b.errorType) ||
    compareCodePoints(a.subject ?? '', b.subject ?? '')
  );
}
