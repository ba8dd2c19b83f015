import type { FindingsAnalysis, OutcomeCounts, RankedPattern } from '../findings/analyze.js';
import type { UpliftCell } from '../findings/uplift-table.js';
import { barChart } from './charts.js';
import { type Block, type Document, heading, list, paragraph, picture, table } from './document.js';
import { fixed, percent, plural } from './format.js';

/** The report of `rx analyze --findings` (spec 06 F.9, F.10). */
export function findingsReport(analysis: FindingsAnalysis, top: number): Document {
  const { sessions, findings, episodes, torn_lines: torn } = analysis;
  return [
    heading(1, 'Findings as incidents'),
    paragraph(
      `${plural(findings, 'finding')} of ${plural(sessions, 'session')}, ${plural(episodes, 'episode')}: ${outcomeWords(analysis.outcomes)}. ${plural(torn, 'line')} could not be read.`,
    ),
    paragraph(`Ranked by the ${analysis.regime} rule: ${analysis.regime_reason}.`),
    ...(analysis.patterns.length === 0
      ? [paragraph('No findings: nothing to rank.')]
      : patternBlocks(analysis.patterns.slice(0, top))),
    heading(2, 'What acting on it gained'),
    ...upliftBlocks(analysis.uplift.slice(0, top)),
    heading(2, 'Labels'),
    ...labelBlocks(analysis),
  ];
}

function patternBlocks(patterns: readonly RankedPattern[]): Block[] {
  const rows = patterns.map((one) => [
    String(one.rank),
    fixed(one.priority, 2),
    one.pattern,
    one.family ?? 'none',
    String(one.episodes),
    String(one.sessions),
    outcomeWords(one.outcomes),
    percent(one.figures.recovery_rate),
    percent(one.figures.acted_share),
  ]);
  const bars = patterns.map((one) => ({
    name: one.pattern,
    value: one.figures.final_score,
    note: `${fixed(one.figures.final_score, 1)}, ${plural(one.episodes, 'episode')}`,
  }));
  return [
    table(
      ['#', 'priority', 'pattern', 'family', 'episodes', 'sessions', 'outcomes', 'recovery', 'acted on'],
      rows,
    ),
    picture(barChart('Patterns by final score', bars)),
  ];
}

function upliftBlocks(cells: readonly UpliftCell[]): Block[] {
  if (cells.length === 0) return [paragraph('No action has a label yet, so nothing can be said.')];
  const rows = cells.map((cell, i) => [
    String(i + 1),
    cell.pattern,
    cell.severity,
    cell.actions.join(', '),
    armWords(cell.treated),
    armWords(cell.untreated),
    `${points(cell.uplift)} (${points(cell.low)} to ${points(cell.high)})`,
    fixed(cell.score, 2),
    remarks(cell),
  ]);
  const bars = cells.map((cell) => ({
    name: cell.pattern,
    value: cell.uplift,
    note: points(cell.uplift),
    low: cell.low,
    high: cell.high,
  }));
  return [
    paragraph(
      'Uplift is the share of episodes that ended with the action minus the share that ended without it, in points, with a 90 % interval; rank by its lower end times the severity weight. Where no prune was held back at random, severity decided who was treated: read it as a hint, not as proof.',
    ),
    table(['#', 'pattern', 'severity', 'action', 'with', 'without', 'uplift', 'score', ''], rows),
    picture(barChart('Uplift with 90 % interval', bars)),
  ];
}

function labelBlocks({
  labels,
  missing_labels: missing,
  database_problems: problems,
}: FindingsAnalysis): Block[] {
  const lines = [
    ...missing.map(({ reason, episodes }) => `${plural(episodes, 'episode')} without a label: ${reason}.`),
    ...problems.map(
      ({ reason, sessions }) =>
        `${plural(sessions, 'session')} without a database: ${reason}. Actions there are assumed to have been carried out.`,
    ),
  ];
  return [
    paragraph(
      `Of the episodes with a prune or a delegate, ${labels.helped} ended, ${labels.did_not} came back, ${labels.missing} have no label.`,
    ),
    ...(lines.length === 0 ? [] : [list(lines)]),
  ];
}

function outcomeWords({ ceased, persisted, censored }: OutcomeCounts): string {
  return `${ceased} ceased, ${persisted} persisted, ${censored} censored`;
}

function armWords(arm: { readonly successes: number; readonly n: number }): string {
  return `${fixed(arm.successes, 0)} of ${fixed(arm.n, 0)}`;
}

function points(difference: number): string {
  return `${difference >= 0 ? '+' : ''}${fixed(difference * 100, 0)}`;
}

function remarks(cell: UpliftCell): string {
  const words = [
    cell.randomised ? 'randomised' : '',
    cell.overlap ? '' : 'no comparison in this cell: the family stands in',
    cell.useful === null ? '' : `${cell.useful} useful`,
  ];
  return words.filter((word) => word !== '').join('; ');
}
