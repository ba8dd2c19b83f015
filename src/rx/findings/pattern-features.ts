import { median } from '../../stats/descriptive.js';
import type { Outcome } from './episodes.js';
import { FAMILIES, type Family } from './families.js';

/** Version of the order below. */
export const FINDING_FEATURE_SCHEMA = 'findings-1';

/** The 22 features of a pattern of findings, in order (spec 06 F.9). */
export const FINDING_FEATURE_NAMES: readonly string[] = [
  'frequency_score',
  'severity_score',
  'recovery_rate',
  'final_score',
  'confidence',
  'run_coverage',
  'recovery_latency',
  'latency_missing',
  'acted_share',
  'escalated_share',
  'emissions',
  ...FAMILIES.map((family) => `is_${family}`),
];

/** What the features need of an episode, as of some moment. */
export interface EpisodeView {
  readonly session: string;
  readonly severity_weight: number;
  readonly outcome: Outcome;
  readonly latency: number | null;
  readonly acted: boolean;
  readonly escalated: boolean;
  readonly emissions: number;
}

/** What the features need of everything else. */
export interface PatternContext {
  /** Episodes of the most frequent pattern. */
  readonly most_episodes: number;
  readonly sessions: number;
}

/** The features by name; a missing latency is null until the column's mean is known. */
export interface PatternFigures {
  readonly frequency_score: number;
  readonly severity_score: number;
  readonly recovery_rate: number;
  readonly final_score: number;
  readonly confidence: number;
  readonly run_coverage: number;
  readonly recovery_latency: number | null;
  readonly acted_share: number;
  readonly escalated_share: number;
  readonly emissions: number;
  /** Mean weight of the highest severities, the prior's class weight. */
  readonly severity_weight: number;
}

const FULL_CONFIDENCE = 5;
const EMISSIONS_CAP = 20;
const NONE_CEASED_MULTIPLIER = 1.5;

/** Figures of one pattern from its episodes, at least one (spec 06 F.9, #1–#11). */
export function patternFigures(episodes: readonly EpisodeView[], context: PatternContext): PatternFigures {
  const n = episodes.length;
  const sums = { weight: 0, ceased: 0, persisted: 0, acted: 0, escalated: 0 };
  const sessions = new Set<string>();
  const latencies: number[] = [];
  const emissions: number[] = [];
  // One pass: this runs once per labelled episode, over all episodes of its pattern.
  for (const one of episodes) {
    sums.weight += one.severity_weight;
    if (one.outcome === 'ceased') sums.ceased += 1;
    if (one.outcome === 'persisted') sums.persisted += 1;
    if (one.acted) sums.acted += 1;
    if (one.escalated) sums.escalated += 1;
    sessions.add(one.session);
    if (one.outcome === 'ceased' && one.latency !== null) latencies.push(one.latency);
    emissions.push(Math.min(EMISSIONS_CAP, one.emissions));
  }
  const weight = sums.weight / n;
  const stubborn = sums.persisted > 0 && sums.ceased === 0;
  const frequency = (10 * n) / context.most_episodes;
  const severity = 10 * weight * (stubborn ? NONE_CEASED_MULTIPLIER : 1);
  return {
    frequency_score: frequency,
    severity_score: severity,
    recovery_rate: (sums.ceased + 1) / (sums.ceased + sums.persisted + 2),
    final_score: 0.4 * frequency + 0.6 * severity,
    confidence: Math.min(1, n / FULL_CONFIDENCE),
    run_coverage: sessions.size / context.sessions,
    recovery_latency: median(latencies),
    acted_share: sums.acted / n,
    escalated_share: sums.escalated / n,
    emissions: median(emissions) ?? 0,
    severity_weight: weight,
  };
}

/** The vectors of several patterns; missing latencies get the mean of the others, 0 when all are missing. */
export function featureVectors(
  patterns: readonly { readonly figures: PatternFigures; readonly family: Family | null }[],
): number[][] {
  const known = patterns.flatMap(({ figures }) => figures.recovery_latency ?? []);
  const mean = known.length === 0 ? 0 : known.reduce((sum, value) => sum + value, 0) / known.length;
  return patterns.map(({ figures, family }) => [
    figures.frequency_score,
    figures.severity_score,
    figures.recovery_rate,
    figures.final_score,
    figures.confidence,
    figures.run_coverage,
    figures.recovery_latency ?? mean,
    figures.recovery_latency === null ? 1 : 0,
    figures.acted_share,
    figures.escalated_share,
    figures.emissions,
    ...FAMILIES.map((name) => (name === family ? 1 : 0)),
  ]);
}
