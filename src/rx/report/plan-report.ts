import { formatProblem, type ProblemList } from '../trace/trace-error.js';
import type { Plan, PlannedIncident } from '../triage/plan.js';
import { barChart } from './charts.js';
import { type Block, type Document, heading, list, paragraph, picture, table } from './document.js';
import { fixed, percent, plural } from './format.js';

/** What was loaded beside the events. */
export interface LoadNotes {
  readonly problems: ProblemList;
  readonly replaced: number;
  readonly separated_runs: readonly string[];
}

/** How many incidents are described in words (spec 06 D.6). */
const DETAILED = 3;
const SHOWN_PROBLEMS = 10;
const BAR_CELLS = 10;

/** The plan of `rx analyze` (spec 06 C.5, D.6). */
export function planReport(plan: Plan, notes: LoadNotes): Document {
  return [
    heading(1, 'What is worth fixing'),
    paragraph(
      `${plural(plan.events, 'event')} of ${plural(plan.runs, 'run')}, ${plural(plan.patterns, 'pattern')} of failure, ${percent(plan.failure_rate, 1)} of the actions failed. Ranked by the ${plan.regime} rule: ${plan.regime_reason}.`,
    ),
    paragraph('Nothing here was verified: no experiment was run. A fix counts once rx run has accepted it.'),
    ...(plan.incidents.length === 0 ? [paragraph('No failures: nothing to rank.')] : ranking(plan)),
    ...plan.incidents
      .filter((one) => one.rationale !== null)
      .map((one) => paragraph(`Why ${one.action_id}: ${one.rationale}`)),
    ...plan.incidents.slice(0, DETAILED).flatMap(details),
    ...noteBlocks(notes),
  ];
}

function ranking(plan: Plan): Block[] {
  const rows = plan.incidents.map((one) => [
    String(one.rank),
    fixed(one.priority, 2),
    one.display_name,
    percent(one.recovery_rate),
    one.confidence_label,
    one.action_id ?? `no action (${one.no_action})`,
  ]);
  const bars = plan.incidents.map((one) => ({
    name: one.display_name,
    value: one.final_score,
    note: `${fixed(one.final_score, 1)} of 13, ${one.frequency}×`,
  }));
  return [
    table(['#', 'priority', 'incident', 'recovery', 'confidence', 'recommended'], rows),
    picture(barChart('Incidents by final score', bars)),
  ];
}

function details(one: PlannedIncident): Block[] {
  const latency =
    one.median_recovery_latency === null
      ? 'never'
      : `${fixed(one.median_recovery_latency, 1)} turns (median)`;
  return [
    heading(3, `${one.rank}. ${one.display_name}`),
    list([
      `Severity ${fixed(one.severity_score, 1)} of 15, final score ${fixed(one.final_score, 2)} of 13, confidence ${one.confidence_label}.`,
      `${plural(one.frequency, 'failure')} in ${one.runs_seen_in} of ${plural(one.runs_total, 'run')}; trend: ${one.trend}.`,
      `Recovery ${recoveryBar(one.recovery_rate)} within 3 turns; it takes ${latency}.`,
      `${plural(one.unrecovered_tail_count, 'failure')} without a success in the next 10 turns.`,
      `Next: ${suggestion(one.failure_classification)}.`,
    ]),
  ];
}

/** Ten cells, at least one filled when anything recovered; 99 % is the most below 1 (spec 06 D.6). */
function recoveryBar(rate: number): string {
  const filled = rate === 0 ? 0 : Math.max(1, Math.floor(rate * BAR_CELLS));
  return `${'█'.repeat(filled)}${'░'.repeat(BAR_CELLS - filled)} ${rate === 1 ? 100 : Math.min(99, Math.floor(rate * 100))}%`;
}

function suggestion(classification: string): string {
  switch (classification) {
    case 'coordination_failure':
      return 'check how often agents exchange messages and where they synchronise';
    case 'agent_error':
      return 'read the reasoning at the turns that failed';
    case 'information_lag':
      return 'refresh beliefs more often';
    case 'environment_constraint':
      return 'check the boundaries before acting';
    default:
      return 'classify these failures first';
  }
}

/** What was wrong with the input, as blocks of a report. */
export function noteBlocks(notes: LoadNotes): Block[] {
  const lines = [
    ...notes.problems.listed.slice(0, SHOWN_PROBLEMS).map(formatProblem),
    ...(notes.problems.total > SHOWN_PROBLEMS ? [`and ${notes.problems.total - SHOWN_PROBLEMS} more`] : []),
  ];
  const others = [
    ...(notes.replaced > 0
      ? [`${plural(notes.replaced, 'event')} replaced an earlier one of the same file, run and event id.`]
      : []),
    ...(notes.separated_runs.length > 0
      ? [
          `Several files recorded a run of the same name with the same event ids; they were kept apart: ${notes.separated_runs.slice(0, SHOWN_PROBLEMS).join(', ')}.`,
        ]
      : []),
  ];
  return [
    ...(lines.length > 0
      ? [heading(2, `${plural(notes.problems.total, 'line')} could not be read`), list(lines)]
      : []),
    ...(others.length > 0 ? [heading(2, 'Notes on the input'), list(others)] : []),
  ];
}
