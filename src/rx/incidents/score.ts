import { createHash } from 'node:crypto';
import type { TraceEvent } from '../trace/event.js';
import { UNCLASSIFIED } from '../trace/event.js';
import { TraceTable } from '../trace/trace-table.js';
import type { ConfidenceLabel, Incident } from './incident.js';
import { type GroupTally, RECOVERY_WINDOW, tallyFailures } from './tally.js';
import { trendOf } from './trend.js';

/** Severity weight of each classification (spec 06 B.2). */
const WEIGHTS: ReadonlyMap<string, number> = new Map([
  ['coordination_failure', 1.0],
  ['agent_error', 0.7],
  ['information_lag', 0.5],
  ['environment_constraint', 0.2],
]);
const OTHER_WEIGHT = 0.3;
const NO_RECOVERY_MULTIPLIER = 1.5;
const FREQUENCY_SHARE = 0.4;
const SEVERITY_SHARE = 0.6;
const FULL_CONFIDENCE_COUNT = 5;
const HASH_DIGITS = 12;

/** Severity weight of a classification; 0.3 for every other and for none (spec 06 B.2). */
export function severityWeight(classification: string): number {
  return WEIGHTS.get(classification) ?? OTHER_WEIGHT;
}

/**
 * Groups the failures of a batch and scores the groups, highest final score first, ties in order of first appearance
 * (spec 06 B.1, B.2; key by set, E.17).
 */
export function scoreIncidents(batch: TraceTable | Iterable<TraceEvent>): Incident[] {
  const table = batch instanceof TraceTable ? batch : TraceTable.from(batch);
  const tallies = tallyFailures(table);
  const max = tallies.reduce((most, tally) => Math.max(most, tally.frequency), 0);
  const incidents = tallies.map((tally) => scoreTally(tally, max, table));
  return incidents.sort((a, b) => b.final_score - a.final_score);
}

function scoreTally(tally: GroupTally, maxFrequency: number, table: TraceTable): Incident {
  const group = table.groups[tally.group];
  const classification = group?.failure_classification ?? UNCLASSIFIED;
  const agent = table.agents.name(group?.agent ?? 0);
  const tool = group?.tool_name ?? '';
  const fields = group?.divergence_fields ?? [];
  const { frequency } = tally;
  const recovered = tally.recovered_by_offset.reduce((sum, n) => sum + n, 0);
  const recoveryRate = recovered / frequency;
  // The order of these products decides the last bit of the scores (06 B.2).
  const frequencyScore = (frequency / maxFrequency) * 10;
  const multiplier = recoveryRate === 0 ? NO_RECOVERY_MULTIPLIER : 1;
  const severityScore = severityWeight(classification) * 10 * multiplier;
  const confidence = Math.min(1, frequency / FULL_CONFIDENCE_COUNT);
  return {
    pattern_id: [agent, tool, classification, fields.join('+') || 'none'].join('-'),
    key_hash: hashKey([agent, tool, group?.failure_classification ?? null, fields]),
    display_name: `[${agent}] ${tool} / ${classification} / ${fields.join('+') || 'no-divergence'}`,
    agent_id: agent,
    tool_name: tool,
    failure_classification: classification,
    divergence_fields: fields,
    frequency,
    frequency_score: frequencyScore,
    severity_score: severityScore,
    recovery_rate: recoveryRate,
    median_recovery_latency: medianOffset(tally.recovered_by_offset),
    recovered_failed_by_offset: tally.recovered_failed_by_offset,
    final_score: frequencyScore * FREQUENCY_SHARE + severityScore * SEVERITY_SHARE,
    confidence,
    confidence_label: confidenceLabel(confidence),
    runs_seen_in: tally.runs,
    runs_total: table.runs.length,
    unrecovered_tail_count: tally.unrecovered_tail,
    trend: table.runs.length < 3 ? 'insufficient data' : trendOf(tally.per_recent_run),
  };
}

/** Median of offsets 1, 2, … given how often each occurs; null without any (spec 06 B.2). */
export function medianOffset(byOffset: readonly number[]): number | null {
  const total = byOffset.reduce((sum, n) => sum + n, 0);
  if (total === 0) return null;
  const at = (rank: number): number => {
    let passed = 0;
    for (const [index, n] of byOffset.entries()) {
      passed += n;
      if (rank < passed) return index + 1;
    }
    return RECOVERY_WINDOW;
  };
  return (at(Math.floor((total - 1) / 2)) + at(Math.floor(total / 2))) / 2;
}

function confidenceLabel(confidence: number): ConfidenceLabel {
  if (confidence >= 0.8) return 'high';
  return confidence >= 0.4 ? 'medium' : 'low';
}

function hashKey(key: unknown): string {
  return createHash('sha256').update(JSON.stringify(key)).digest('hex').slice(0, HASH_DIGITS);
}
