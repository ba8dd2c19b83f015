import { median } from '../../stats/descriptive.js';
import { prior } from '../learner/heuristic-prior.js';
import { hasBothClasses, type LabelledRow } from '../learner/labelled-row.js';
import { successProbability, type TrainedModel, trainModel } from '../learner/trained-model.js';
import { plural } from '../report/format.js';
import type { Regime } from '../types.js';
import { figuresAsOf, groupByPattern, viewOf } from './as-of.js';
import { classOf, type Family, type LabelKind } from './families.js';
import { displayKey } from './key.js';
import type { LabelledEpisode, LabelledSession } from './labelled-episode.js';
import {
  FINDING_FEATURE_SCHEMA,
  featureVectors,
  type PatternFigures,
  patternFigures,
} from './pattern-features.js';
import { type UpliftCell, upliftTable } from './uplift-table.js';

/** How often each outcome occurred. */
export interface OutcomeCounts {
  readonly ceased: number;
  readonly persisted: number;
  readonly censored: number;
}

/** A pattern of findings, ranked. */
export interface RankedPattern {
  readonly rank: number;
  readonly pattern: string;
  readonly pattern_key: string;
  readonly family: Family | null;
  readonly kind: LabelKind;
  readonly priority: number;
  readonly episodes: number;
  readonly sessions: number;
  readonly outcomes: OutcomeCounts;
  readonly figures: PatternFigures;
  /** In the order of FINDING_FEATURE_NAMES. */
  readonly features: readonly number[];
}

export interface MissingLabel {
  readonly reason: string;
  readonly episodes: number;
}

/** What the findings of many sessions say (spec 06 F.9, F.10). */
export interface FindingsAnalysis {
  readonly feature_schema: string;
  readonly sessions: number;
  readonly findings: number;
  readonly torn_lines: number;
  readonly segments: number;
  readonly episodes: number;
  readonly outcomes: OutcomeCounts;
  readonly median_episodes_per_session: number;
  readonly regime: Regime;
  readonly regime_reason: string;
  readonly patterns: readonly RankedPattern[];
  /** Actions, best first. */
  readonly uplift: readonly UpliftCell[];
  /** Labels of episodes that carried a hard intent. */
  readonly labels: { readonly helped: number; readonly did_not: number; readonly missing: number };
  /** Every reason for a missing label, most frequent first. */
  readonly missing_labels: readonly MissingLabel[];
  /** Why databases were of no use, with the number of sessions. */
  readonly database_problems: readonly { readonly reason: string; readonly sessions: number }[];
}

const LEARN_ROWS = 60;
const LEARN_SESSIONS = 5;
/** The newest labels that a model is fitted on: bounds the time that their features as of then take. */
const MOST_LEARN_ROWS = 2000;
const FINDINGS_DIVISOR = 13;

/** Ranks the patterns of labelled sessions and estimates what acting on them gained. */
export function analyzeFindings(sessions: readonly LabelledSession[], seed = 0): FindingsAnalysis {
  const episodes = sessions.flatMap((session) => session.episodes);
  const acted = episodes.filter(({ episode }) => episode.acted !== null);
  const learned = learn(acted, sessions, seed);
  const labels = acted.map(({ label }) => (label.treated === true ? label.y : null));
  return {
    feature_schema: FINDING_FEATURE_SCHEMA,
    sessions: sessions.length,
    findings: sum(sessions, (session) => session.findings),
    torn_lines: sum(sessions, (session) => session.torn_lines),
    segments: sum(sessions, (session) => session.segments),
    episodes: episodes.length,
    outcomes: countOutcomes(episodes),
    median_episodes_per_session: median(sessions.map((session) => session.episodes.length)) ?? 0,
    regime: learned.model === null ? 'heuristic' : 'learned',
    regime_reason: learned.reason,
    patterns: rankPatterns(sessions, learned.model),
    uplift: upliftTable(episodes),
    labels: {
      helped: labels.filter((y) => y === 1).length,
      did_not: labels.filter((y) => y === 0).length,
      missing: labels.filter((y) => y === null).length,
    },
    missing_labels: countReasons(acted.map(({ label }) => missingReason(label))).map(([reason, n]) => ({
      reason,
      episodes: n,
    })),
    database_problems: countReasons(sessions.map((session) => session.database_problem)).map(
      ([reason, n]) => ({
        reason,
        sessions: n,
      }),
    ),
  };
}

function missingReason(label: LabelledEpisode['label']): string | null {
  if (label.treated === false)
    return label.acted_on?.state === 'denied' ? 'the action was denied' : 'the action was not carried out';
  return label.missing;
}

function rankPatterns(sessions: readonly LabelledSession[], model: TrainedModel | null): RankedPattern[] {
  const groups = [...groupByPattern(sessions)];
  const most = groups.reduce((largest, [, members]) => Math.max(largest, members.length), 1);
  const described = groups.flatMap(([key, members]) => {
    const first = members[0];
    if (first === undefined) return [];
    const { family, kind } = classOf(first.episode.symptom);
    const figures = patternFigures(members.map(viewOf), {
      most_episodes: most,
      sessions: sessions.length,
    });
    return [{ key, members, family, kind, figures }];
  });
  const vectors = featureVectors(described);
  const ranked = described.map(({ key, members, family, kind, figures }, i) => {
    const features = vectors[i] ?? [];
    return {
      pattern: displayKey(key),
      pattern_key: key,
      family,
      kind,
      priority: model === null ? heuristicPriority(figures) : successProbability(model, features),
      episodes: members.length,
      sessions: new Set(members.map(({ episode }) => episode.session_id)).size,
      outcomes: countOutcomes(members),
      figures,
      features,
    };
  });
  return ranked.sort((a, b) => b.priority - a.priority).map((pattern, i) => ({ rank: i + 1, ...pattern }));
}

/** B.6 with the largest final score as divisor and the mean severity weight (spec 06 F.9). */
function heuristicPriority(figures: PatternFigures): number {
  return prior(figures.final_score, figures.recovery_rate, figures.severity_weight, FINDINGS_DIVISOR);
}

function learn(
  acted: readonly LabelledEpisode[],
  sessions: readonly LabelledSession[],
  seed: number,
): { model: TrainedModel | null; reason: string } {
  const usable = acted.filter(({ label }) => label.treated === true && label.y !== null);
  const labels = usable.map(({ label }) => label.y ?? 0);
  const groups = new Set(usable.map(({ episode }) => episode.session_id)).size;
  const have = `${plural(usable.length, 'labelled episode')} from ${plural(groups, 'session')}`;
  if (usable.length < LEARN_ROWS || groups < LEARN_SESSIONS || !hasBothClasses(labels)) {
    return {
      model: null,
      reason: `${have}; ${LEARN_ROWS} of both classes from ${LEARN_SESSIONS} sessions needed`,
    };
  }
  const newest = [...usable]
    .sort((a, b) => b.label.from.timestamp - a.label.from.timestamp)
    .slice(0, MOST_LEARN_ROWS);
  const figures = figuresAsOf(newest, sessions);
  const known = newest.flatMap((labelled, i) => {
    const asOf = figures[i];
    return asOf == null
      ? []
      : [{ labelled, figures: asOf, family: classOf(labelled.episode.symptom).family }];
  });
  const vectors = featureVectors(known);
  const rows = known.map(
    ({ labelled }, i): LabelledRow => ({
      features: vectors[i] ?? [],
      label: labelled.label.y === 1 ? 1 : 0,
      gain: null,
      group: labelled.episode.session_id,
    }),
  );
  const model = trainModel(rows, seed);
  return { model, reason: model === null ? `${have}, without times` : have };
}

function countOutcomes(episodes: readonly LabelledEpisode[]): OutcomeCounts {
  const count = (outcome: string) => episodes.filter(({ episode }) => episode.outcome === outcome).length;
  return { ceased: count('ceased'), persisted: count('persisted'), censored: count('censored') };
}

function countReasons(reasons: readonly (string | null)[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const reason of reasons) if (reason !== null) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]);
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
