import { describeChange } from '../triage/change.js';
import type { BatchComparison, BatchSummary, PatternChange } from '../triage/compare.js';
import type { RateTest } from '../triage/compare-rates.js';
import { type Block, type Document, heading, list, paragraph, table } from './document.js';
import { fixed, percent, plural, pValue } from './format.js';

const MOST_PATTERNS = 20;

/** The report of `rx compare` (spec 06 D.5, F.6): the judgement first, the description after it. */
export function compareReport(comparison: BatchComparison): Document {
  const { before, after, rates } = comparison;
  return [
    heading(1, 'Before and after'),
    paragraph(verdictLine(comparison)),
    paragraph(`How it was judged: ${designWords(comparison)}.`),
    testTable(rates.tests),
    heading(2, 'Both batches'),
    table(['', 'before', 'after'], summaryRows(before, after)),
    paragraph(`Top score: ${comparison.top_score_change}; mean score: ${comparison.mean_score_change}.`),
    heading(2, 'What changed, in counts'),
    ...countBlocks(comparison),
    ...patternBlocks('New patterns', comparison.new_patterns),
    ...patternBlocks('Resolved patterns', comparison.resolved_patterns),
    ...patternBlocks('Persisting patterns', comparison.persisting_patterns),
  ];
}

function verdictLine({ rates }: BatchComparison): string {
  const named = (verdict: RateTest['verdict']) =>
    rates.tests.filter((test) => test.verdict === verdict).map((test) => test.name);
  const worse = named('worse');
  const better = named('better');
  if (rates.design.kind === 'descriptive') return `Not judged: ${rates.design.reason}.`;
  if (worse.length === 0 && better.length === 0) return 'No evidence of a change.';
  const parts = [
    worse.length > 0 ? `Regression: worse in ${worse.join(', ')}.` : 'No evidence of a regression.',
    better.length > 0 ? `Better in ${better.join(', ')}.` : '',
  ];
  return parts.filter((part) => part !== '').join(' ');
}

function designWords({ rates: { design } }: BatchComparison): string {
  const sizes = `${plural(design.runs_before, 'run')} before, ${design.runs_after} after`;
  if (design.kind === 'paired')
    return `${sizes}; ${design.reason}, compared by exact sign flips, Holm over all rows`;
  if (design.kind === 'unpaired')
    return `${sizes}; ${design.reason}, run labels permuted, Holm over all rows`;
  return `${sizes}; ${design.reason}`;
}

function testTable(tests: readonly RateTest[]): Block {
  const rows = tests.map((test) => [
    test.name,
    percent(test.rate_before, 1),
    percent(test.rate_after, 1),
    points(test.difference),
    test.low === null || test.high === null ? '' : `${points(test.low)} to ${points(test.high)}`,
    test.p_worse_holm === null ? '' : pValue(test.p_worse_holm),
    test.p_better_holm === null ? '' : pValue(test.p_better_holm),
    test.verdict,
  ]);
  return table(
    ['failed actions', 'before', 'after', 'points', '95 % interval', 'p worse', 'p better', 'verdict'],
    rows,
  );
}

function summaryRows(before: BatchSummary, after: BatchSummary): string[][] {
  const row = (name: string, of: (side: BatchSummary) => string) => [name, of(before), of(after)];
  return [
    row('runs', (side) => String(side.runs)),
    row('events', (side) => String(side.events)),
    row('failed actions', (side) => `${side.failure_events} (${percent(side.failure_rate, 1)})`),
    row('not recovered', (side) => String(side.unrecovered_events)),
    row('patterns', (side) => String(side.patterns)),
    row('top score', (side) => fixed(side.top_score, 2)),
    row('mean score', (side) => fixed(side.mean_score, 2)),
    row('coordination failures', (side) => String(side.coordination_failures)),
  ];
}

/** Counts of batches of different size cannot be compared: they get no headlines, and rates beside them (spec 06 E.26). */
function countBlocks(comparison: BatchComparison): Block[] {
  const { before, after, headlines, classes } = comparison;
  const comparable = before.events === after.events;
  const rows = classes.map((one) => [
    one.classification,
    `${one.failures.before} → ${one.failures.after}`,
    comparable
      ? describeChange(one.failures)
      : `${perHundred(one.failures.before, before)} → ${perHundred(one.failures.after, after)}`,
    `${one.unrecovered.before} → ${one.unrecovered.after}`,
    one.latency_change,
  ]);
  const third = comparable ? 'change' : 'per 100 actions';
  const classTable = table(['classification', 'failures', third, 'not recovered', 'turns to recover'], rows);
  if (!comparable) {
    return [paragraph('The batches differ in size: read the rates, not the counts.'), classTable];
  }
  return [headlines.length === 0 ? paragraph('Nothing.') : list(headlines), classTable];
}

function perHundred(count: number, side: BatchSummary): string {
  return fixed((100 * count) / Math.max(1, side.events), 1);
}

function patternBlocks(title: string, patterns: readonly PatternChange[]): Block[] {
  if (patterns.length === 0) return [];
  const shown = patterns
    .slice(0, MOST_PATTERNS)
    .map((one) => [one.pattern_id, String(one.before), String(one.after)]);
  const more =
    patterns.length > MOST_PATTERNS ? [paragraph(`and ${patterns.length - MOST_PATTERNS} more`)] : [];
  return [heading(2, title), table(['pattern', 'before', 'after'], shown), ...more];
}

function points(difference: number): string {
  return `${difference >= 0 ? '+' : ''}${fixed(difference * 100, 1)}`;
}
