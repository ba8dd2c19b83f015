import { sortKeys } from '../../foreign/ascii-json.js';
import { cutCodePoints } from '../../foreign/hygiene.js';
import type { Finding } from '../findings/finding.js';
import type { DecisionTrace, TraceTask } from './decision-trace.js';
import type { FindingsDigest } from './findings-digest.js';
import { cell, code, fenced, prose, quote } from './markdown.js';

export interface PostmortemFacts {
  readonly sessionId: string;
  readonly stopReason: string;
  /** ISO-8601 with `+00:00`, seconds. */
  readonly finalizedAt: string;
  readonly digest: FindingsDigest;
  readonly trace: DecisionTrace;
  /** Name of the trace's file, beside the report. */
  readonly traceFile: string;
  /** What could not be read on the way. */
  readonly problems: readonly string[];
}

const SUMMARY_LENGTH = 200;

/** The postmortem as Markdown (spec 01 §8); every text of foreign origin is escaped. */
export function renderPostmortem(facts: PostmortemFacts): string {
  const blocks = [
    `# Robustness postmortem ${code(facts.sessionId)}`,
    header(facts),
    '## Flashpoint',
    ...flashpoint(facts.digest.flashpoint),
    '## Findings catalogue',
    ...catalogue(facts.digest),
    '## Decision-trace summary',
    ...traceSummary(facts),
  ];
  return `${blocks.join('\n\n')}\n`;
}

/** What remains when rendering failed: the stop reason must not be lost. */
export function renderStub(sessionId: string, stopReason: string): string {
  return [
    `# Robustness postmortem ${code(sessionId)}`,
    `- stop_reason: ${code(stopReason)}`,
    'The body of this report could not be rendered.',
    '',
  ].join('\n\n');
}

function header({ stopReason, finalizedAt, digest, trace, problems }: PostmortemFacts): string {
  return [
    `- stop_reason: ${stopReason === '' ? '(none)' : code(stopReason)}`,
    `- finalized_at_utc: ${finalizedAt}`,
    `- findings_count: ${digest.rows}`,
    `- tasks_count: ${trace.total_tasks}`,
    ...(digest.unreadable > 0 ? [`- unreadable lines in the findings file: ${digest.unreadable}`] : []),
    ...(trace.problems > 0 ? [`- tasks without a usable result: ${trace.problems}`] : []),
    ...problems.map((problem) => `- ${prose(problem)}`),
  ].join('\n');
}

function flashpoint(finding: Finding | undefined): string[] {
  if (finding === undefined) return ['No HIGH finding was recorded.'];
  const { symptom_name: symptom, severity, tick_index: tick, timestamp_unix: at } = finding;
  const blocks = [
    [
      `- symptom: ${code(symptom)}`,
      `- severity: ${severity}`,
      `- tick_index: ${tick}, timestamp_unix: ${at}`,
    ].join('\n'),
  ];
  if (finding.summary !== '') blocks.push(quote(finding.summary));
  if (Object.keys(finding.evidence).length > 0) {
    blocks.push(fenced('json', JSON.stringify(sortKeys(finding.evidence), null, 2)));
  }
  if (finding.rca_text !== '') blocks.push(quote(finding.rca_text));
  if (finding.intents.length > 0) {
    blocks.push(
      finding.intents
        .map(({ intent_type, payload }) => `- ${code(intent_type)} → ${code(JSON.stringify(payload))}`)
        .join('\n'),
    );
  }
  return blocks;
}

function catalogue({ rows, counts, latestHigh }: FindingsDigest): string[] {
  if (rows === 0) return ['No findings were recorded.'];
  const totals = `HIGH: ${counts.high}, MEDIUM: ${counts.medium}, LOW: ${counts.low}`;
  if (latestHigh.length === 0) return [totals];
  const bullets = latestHigh.map(
    ({ tick_index, symptom_name, summary }) =>
      `- tick ${tick_index}: ${code(symptom_name)} ${prose(cutCodePoints(summary, SUMMARY_LENGTH))}`,
  );
  return [totals, bullets.join('\n')];
}

function traceSummary({ trace, traceFile }: PostmortemFacts): string[] {
  const actions = Object.entries(trace.tasks_by_action);
  if (actions.length === 0) return ['No task directories were found.'];
  const rows = actions.map(([action, tasks]) => {
    const kept = tasks.filter((task) => decisionOf(task) === 'KEEP').length;
    const reverted = tasks.filter((task) => decisionOf(task) === 'REVERT').length;
    const partial = tasks.filter((task) => decisionOf(task) === 'PARTIAL').length;
    const other = tasks.length - kept - reverted - partial;
    const omitted = trace.omitted_tasks[action] ?? 0;
    const count = omitted > 0 ? `${tasks.length} (+${omitted} older)` : `${tasks.length}`;
    return `| ${cell(action)} | ${count} | ${kept} | ${reverted} | ${partial} | ${other} |`;
  });
  const table = [
    '| action | tasks | KEEP | REVERT | PARTIAL | other |',
    '|---|---|---|---|---|---|',
    ...rows,
  ];
  return [table.join('\n'), `Every task: ${code(traceFile)}`];
}

function decisionOf(task: TraceTask): string {
  return typeof task['decision'] === 'string' ? task['decision'].trim().toUpperCase() : '';
}
