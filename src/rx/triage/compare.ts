import type { Incident } from '../incidents/incident.js';
import { medianOffset, scoreIncidents } from '../incidents/score.js';
import { fixed } from '../report/format.js';
import { UNCLASSIFIED } from '../trace/event.js';
import type { TraceTable } from '../trace/trace-table.js';
import { type CountChange, countChange, describeChange, latencyChange, scoreChange } from './change.js';
import { compareRates, type RateComparison } from './compare-rates.js';
import { runRates } from './run-rates.js';

/** One side of a comparison (spec 06 D.5). */
export interface BatchSummary {
  readonly runs: number;
  readonly events: number;
  readonly patterns: number;
  readonly failure_events: number;
  readonly failure_rate: number;
  readonly unrecovered_events: number;
  readonly top_score: number;
  readonly mean_score: number;
  readonly coordination_failures: number;
}

/** A classification on both sides. */
export interface ClassChange {
  readonly classification: string;
  readonly failures: CountChange;
  readonly unrecovered: CountChange;
  readonly latency_before: number | null;
  readonly latency_after: number | null;
  readonly latency_change: string;
}

/** A pattern of one side or both. */
export interface PatternChange {
  readonly pattern_id: string;
  readonly key_hash: string;
  readonly before: number;
  readonly after: number;
}

/** Two batches of traces, described and tested. Counts describe; only `rates` judges. */
export interface BatchComparison {
  readonly before: BatchSummary;
  readonly after: BatchSummary;
  readonly top_score_change: string;
  readonly mean_score_change: string;
  readonly classes: readonly ClassChange[];
  readonly new_patterns: readonly PatternChange[];
  readonly resolved_patterns: readonly PatternChange[];
  readonly persisting_patterns: readonly PatternChange[];
  readonly headlines: readonly string[];
  readonly rates: RateComparison;
}

const HEADLINE_PATTERNS = 3;

/** Compares two batches (spec 06 D.5, judged by F.6). */
export function compareBatches(before: TraceTable, after: TraceTable, seed: number): BatchComparison {
  const first = scoreIncidents(before);
  const second = scoreIncidents(after);
  const classes = classChanges(first, second);
  const patterns = patternChanges(first, second);
  const summaries = { before: summarise(before, first), after: summarise(after, second) };
  return {
    ...summaries,
    top_score_change: scoreChange(summaries.before.top_score, summaries.after.top_score),
    mean_score_change: scoreChange(summaries.before.mean_score, summaries.after.mean_score),
    classes,
    ...patterns,
    headlines: headlinesOf(classes, patterns.new_patterns, patterns.resolved_patterns),
    rates: compareRates(runRates(before), runRates(after), seed),
  };
}

function summarise(table: TraceTable, incidents: readonly Incident[]): BatchSummary {
  const scores = incidents.map((one) => one.final_score);
  return {
    runs: table.runs.length,
    events: table.size,
    patterns: incidents.length,
    failure_events: table.failures,
    failure_rate: table.size === 0 ? 0 : table.failures / table.size,
    unrecovered_events: sum(incidents.map(unrecovered)),
    top_score: Math.max(0, ...scores),
    mean_score: scores.length === 0 ? 0 : sum(scores) / scores.length,
    coordination_failures: sum(ofClass(incidents, 'coordination_failure').map((one) => one.frequency)),
  };
}

function classChanges(before: readonly Incident[], after: readonly Incident[]): ClassChange[] {
  const names = new Set([...before, ...after].map((one) => one.failure_classification));
  return [...names].sort().map((classification) => {
    const first = ofClass(before, classification);
    const second = ofClass(after, classification);
    const latencyBefore = classLatency(classification, first);
    const latencyAfter = classLatency(classification, second);
    return {
      classification,
      failures: countChange(sum(first.map((one) => one.frequency)), sum(second.map((one) => one.frequency))),
      unrecovered: countChange(sum(first.map(unrecovered)), sum(second.map(unrecovered))),
      latency_before: latencyBefore,
      latency_after: latencyAfter,
      latency_change: latencyChange(latencyBefore, latencyAfter),
    };
  });
}

function patternChanges(before: readonly Incident[], after: readonly Incident[]) {
  const earlier = new Map(before.map((one) => [one.key_hash, one]));
  const later = new Map(after.map((one) => [one.key_hash, one]));
  const all = new Map([...earlier, ...later]);
  const changes = [...all.values()].map(
    ({ pattern_id, key_hash }): PatternChange => ({
      pattern_id,
      key_hash,
      before: earlier.get(key_hash)?.frequency ?? 0,
      after: later.get(key_hash)?.frequency ?? 0,
    }),
  );
  const byFrequency = (a: PatternChange, b: PatternChange) =>
    Math.max(b.before, b.after) - Math.max(a.before, a.after);
  return {
    new_patterns: changes.filter((one) => one.before === 0).sort(byFrequency),
    resolved_patterns: changes.filter((one) => one.after === 0).sort(byFrequency),
    persisting_patterns: changes.filter((one) => one.before > 0 && one.after > 0).sort(byFrequency),
  };
}

function headlinesOf(
  classes: readonly ClassChange[],
  appeared: readonly PatternChange[],
  gone: readonly PatternChange[],
): string[] {
  const ofClasses = classes
    .filter((one) => one.failures.kind !== 'stable')
    .flatMap((one) => {
      const lines = [`${one.classification}: ${counts(one.failures)}`];
      if (Math.max(one.unrecovered.before, one.unrecovered.after) > 0) {
        lines.push(`${one.classification}, unrecovered: ${counts(one.unrecovered)}`);
      }
      if (one.latency_change !== 'stable' && one.latency_change !== 'n/a') {
        lines.push(`${one.classification}, median turns to recover: ${latencies(one)}`);
      }
      return lines;
    });
  return [
    ...ofClasses,
    ...appeared.slice(0, HEADLINE_PATTERNS).map((one) => `new pattern: ${one.pattern_id} (${one.after})`),
    ...gone.slice(0, HEADLINE_PATTERNS).map((one) => `resolved pattern: ${one.pattern_id} (${one.before})`),
  ];
}

function counts(change: CountChange): string {
  return `${change.before} → ${change.after}, ${describeChange(change)}`;
}

function latencies({
  latency_before: before,
  latency_after: after,
  latency_change: change,
}: ClassChange): string {
  const show = (value: number | null) => (value === null ? 'none' : fixed(value, 1));
  return `${show(before)} → ${show(after)}, ${change}`;
}

/** Half to even, per pattern (spec 06 D.5). */
function unrecovered(incident: Incident): number {
  return Number(fixed(incident.frequency * (1 - incident.recovery_rate), 0));
}

/** Median over failures that recovered, did not succeed themselves and carry a classification. */
function classLatency(classification: string, incidents: readonly Incident[]): number | null {
  if (classification === UNCLASSIFIED) return null;
  const width = Math.max(0, ...incidents.map((one) => one.recovered_failed_by_offset.length));
  const totals = Array.from({ length: width }, (_, i) =>
    sum(incidents.map((one) => one.recovered_failed_by_offset[i] ?? 0)),
  );
  return medianOffset(totals);
}

function ofClass(incidents: readonly Incident[], classification: string): Incident[] {
  return incidents.filter((one) => one.failure_classification === classification);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
