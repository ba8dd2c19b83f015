import type { EditReport, RunReport } from '../loop/report.js';
import { headline } from './html-report.js';
import { wrapText } from './wrap.js';

/** The report of a run for a terminal: one line per edit, in 80 columns. */
export function textReport(report: RunReport, truths: ReadonlyMap<string, string> = new Map()): string {
  const { prompt_id, edits, calls, audit_calls, usd, estimated, audit, notes, seed } = report;
  const lines = [
    `${prompt_id}: ${headline(report)}`,
    '',
    ...(edits.length === 0
      ? ['No edit was proposed.']
      : [row(HEAD), ...edits.map((edit) => row(cells(edit, truths)))]),
    '',
    audit === null
      ? 'audit: not run, because nothing was promoted; a changed figure would be noise'
      : `audit: ${percent(audit.before)} before, ${percent(audit.after)} after, ${audit.n} cases`,
    ...baselineLine(report),
    ...epochLine(report),
    `seed ${seed}, ${calls} calls, ${audit_calls} more for the audit, ${usd.toFixed(4)} USD${estimated ? ' (estimated)' : ''}`,
    ...notes.flatMap((note) => wrapText(note)),
  ];
  return `${lines.join('\n')}\n`;
}

function baselineLine({ baseline }: RunReport): string[] {
  if (baseline === null) return [];
  const { passed, n, version } = baseline;
  return [`baseline: version ${version} passes ${percent(passed / n)} of ${n} dev cases`];
}

function epochLine({ epoch_cost: { epoch, usd_per_net_point, net_points } }: RunReport): string[] {
  if (usd_per_net_point === null || usd_per_net_point === 0) return [];
  return [
    `epoch ${epoch}: ${usd_per_net_point.toFixed(4)} USD a net point, ${net_points.toFixed(1)} points so far`,
  ];
}

const HEAD = ['edit', 'kind', 'stage', 'dev', 'confirm', 'verdict'];
const WIDTHS = [17, 14, 8, 6, 13, 20];

function row(texts: readonly string[]): string {
  return texts
    .map((text, i) => text.slice(0, (WIDTHS[i] ?? 20) - 1).padEnd(WIDTHS[i] ?? 20))
    .join('')
    .trimEnd();
}

function cells(edit: EditReport, truths: ReadonlyMap<string, string>): string[] {
  const { screen, confirm } = edit;
  return [
    edit.label ?? edit.edit_id,
    truths.get(edit.label ?? '') ?? edit.class,
    edit.stage,
    screen === null ? '' : `${screen.wins}/${screen.losses}`,
    confirm === null ? '' : `${confirm.wins}/${confirm.losses} of ${confirm.n}`,
    edit.verdict,
  ];
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
