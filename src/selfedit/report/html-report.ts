import type { SelfeditConfig } from '../config/fields.js';
import type { EditReport, RunReport } from '../loop/report.js';
import { forestPlot, powerCurve } from './charts.js';
import { escapeHtml } from './svg.js';

const STYLE = `
:root { color-scheme: light dark; --ink: #1a2330; --soft: #5b6675; --line: #d6dce4; --paper: #fff; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6eaf0; --soft: #9aa5b4; --line: #39424e; --paper: #14181d; } }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: var(--ink); background: var(--paper);
  font: 16px/1.5 system-ui, sans-serif; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; display: block; overflow-x: auto; }
th, td { text-align: left; padding: 0.3rem 0.6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
th, figcaption { color: var(--soft); font-weight: 600; font-size: 0.9rem; }
svg { max-width: 100%; height: auto; background: #fff; border: 1px solid var(--line); border-radius: 6px; }
`;

/** The report of a run as one page that opens offline: no script, nothing from elsewhere. All texts are escaped. */
export function htmlReport(report: RunReport, config: SelfeditConfig): string {
  const planned =
    report.edits.find(({ confirm }) => confirm !== null)?.confirm?.planned ??
    Math.min(report.cases.confirm, config.confirm_target);
  const alpha = config.alpha_epoch / config.confirmations_per_epoch;
  const segments = report.edits.filter((edit) => edit.segments.length > 0);
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeHtml(`Prompt run ${report.run_id}`)}</title><style>${STYLE}</style></head><body>`,
    `<h1>${escapeHtml(`Prompt ${report.prompt_id}: ${headline(report)}`)}</h1>`,
    `<p>${escapeHtml(summary(report))}</p>`,
    ...report.notes.map((note) => `<p>${escapeHtml(note)}</p>`),
    '<h2>Edits</h2>',
    table(['edit', 'what for', 'screen', 'confirm', 'verdict', 'kind', 'why'], report.edits.map(editCells)),
    '<h2>Gains</h2>',
    forestPlot(report.edits),
    '<h2>Power</h2>',
    powerCurve(planned, alpha, config.early_alpha_share),
    '<h2>Segments</h2>',
    ...(segments.length === 0 ? ['<p>No edit reached the segment guard.</p>'] : []),
    ...segments.flatMap((edit) => [
      `<h3>${escapeHtml(edit.label ?? edit.edit_id)}</h3>`,
      table(
        ['segment', 'cases', 'wins', 'losses', 'p of harm', 'status'],
        edit.segments.map((row) => [
          row.segment,
          String(row.cases),
          String(row.wins),
          String(row.losses),
          row.harm_p.toFixed(3),
          row.status,
        ]),
      ),
    ]),
    '</body></html>',
    '',
  ].join('\n');
}

/** How a run ended, in a few words. */
export function headline({ status, stopped, start_version, end_version }: RunReport): string {
  if (status !== 'done') return `stopped, ${stopped ?? status}`;
  return start_version === end_version
    ? `version ${start_version} stays`
    : `version ${start_version} became ${end_version}`;
}

function summary(report: RunReport): string {
  const { seed, epoch, calls, audit_calls, usd, estimated, cases, audit } = report;
  const cost = `${usd.toFixed(4)} USD${estimated ? ' (partly estimated)' : ''}`;
  const held =
    audit === null
      ? 'No promotion, so the audit cases were not run; a change of accuracy without one is measurement noise.'
      : `Audit accuracy ${(audit.before * 100).toFixed(1)} % before, ${(audit.after * 100).toFixed(1)} % after (${audit.n} cases).`;
  return `Seed ${seed}, epoch ${epoch}; ${cases.dev} dev, ${cases.confirm} confirm, ${cases.audit} audit cases; ${calls} calls and ${audit_calls} for the audit, ${cost}. ${held}`;
}

function editCells(edit: EditReport): string[] {
  const of = (tally: { wins: number; losses: number; n: number } | null): string =>
    tally === null ? '' : `${tally.wins}/${tally.losses} of ${tally.n}`;
  return [
    edit.label ?? edit.edit_id,
    `${edit.intent}, ${edit.segment}: ${edit.hypothesis}`,
    of(edit.screen),
    of(edit.confirm),
    edit.decision === 'near_miss' ? `${edit.verdict} (near miss)` : edit.verdict,
    edit.class,
    edit.reason,
  ];
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = (tag: 'th' | 'td', texts: readonly string[]): string =>
    `<tr>${texts.map((text) => `<${tag}>${escapeHtml(text)}</${tag}>`).join('')}</tr>`;
  return `<table>${cells('th', header)}${rows.map((row) => cells('td', row)).join('')}</table>`;
}
