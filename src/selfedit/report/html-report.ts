import type { SelfeditConfig } from '../config/fields.js';
import type { EditReport, RunReport } from '../loop/report.js';
import { forestPlot, powerCurve } from './charts.js';
import { type Cell, htmlDetails, htmlFacts, htmlPage, htmlTable } from './page.js';
import { escapeHtml } from './svg.js';

/** The report of a run as one page that opens offline and can be read on a telephone. All texts are escaped. */
export function htmlReport(report: RunReport, config: SelfeditConfig): string {
  const { edits, notes } = report;
  const confirmed = edits.find(({ confirm }) => confirm !== null)?.confirm;
  const planned = confirmed?.planned ?? Math.min(report.cases.confirm, config.confirm_target);
  const alpha = config.alpha_epoch / config.confirmations_per_epoch;
  return htmlPage(`Prompt run ${report.run_id}`, [
    `<p class="soft">${escapeHtml(`robustness-agent selfedit, run ${report.run_id}`)}</p>`,
    `<h1>${escapeHtml(`Prompt ${report.prompt_id}: ${headline(report)}`)}</h1>`,
    htmlFacts(factsOf(report)),
    `<p class="note">${escapeHtml(heldText(report))}</p>`,
    ...notes.map((note) => `<p class="note">${escapeHtml(note)}</p>`),
    '<h2>Edits</h2>',
    edits.length === 0
      ? '<p>No edit was proposed.</p>'
      : htmlTable(['edit', 'what for', 'dev', 'confirm', 'verdict', 'kind', 'why'], edits.map(editCells)),
    '<h2>Gains of the edits that were tested</h2>',
    forestPlot(edits),
    '<h2>What a test can see</h2>',
    powerCurve(planned, alpha, config.early_alpha_share),
    '<h2>By class</h2>',
    ...segmentTables(report),
    '<h2>Cost</h2>',
    costTable(edits),
  ]);
}

/** How a run ended, in a few words. */
export function headline({ status, stopped, start_version, end_version }: RunReport): string {
  if (status !== 'done') return `stopped, ${stopped ?? status}`;
  return start_version === end_version
    ? `version ${start_version} stays`
    : `version ${start_version} became ${end_version}`;
}

function factsOf(report: RunReport): (readonly [string, string])[] {
  const { edits, calls, audit_calls, usd, estimated, cases, audit, baseline, epoch_cost, seed, epoch } =
    report;
  const promoted = edits.filter(({ verdict }) => verdict === 'promote').length;
  const { usd_per_net_point: perPoint } = epoch_cost;
  return [
    ['edits promoted', `${promoted} of ${edits.length}`],
    ...(baseline === null
      ? []
      : [['passed before', `${percent(baseline.passed / baseline.n)} of ${baseline.n}`] as const]),
    ...(audit === null
      ? []
      : [['audit accuracy', `${(audit.before * 100).toFixed(1)} → ${percent(audit.after)}`] as const]),
    ['calls', `${calls} + ${audit_calls} audit`],
    ['cost', `${usd.toFixed(4)} USD${estimated ? ' (estimated)' : ''}`],
    ...(perPoint === null || perPoint === 0
      ? []
      : [['cost of a net point', `${perPoint.toFixed(4)} USD`] as const]),
    ['cases', `${cases.dev} + ${cases.confirm} + ${cases.audit}`],
    ['seed, epoch', `${seed}, ${epoch}`],
  ];
}

function heldText({ audit }: RunReport): string {
  if (audit === null) {
    return 'Nothing was promoted, so the audit cases were not run; a change of accuracy without a promotion is measurement noise.';
  }
  const { n, human, judge, oracle_drift: drift, confirm_accuracy: confirmed } = audit;
  return [
    `${n} audit cases, which neither the analyzer nor the gate has seen.`,
    confirmed === null ? '' : `On the confirm cases it was ${percent(confirmed)}.`,
    human.n === 0
      ? 'None was labelled by a human.'
      : `Labelled by a human: ${human.n}, ${percent(human.before)} before and ${percent(human.after)} after.`,
    judge === null
      ? ''
      : `Prose by ${judge.model}: ${judge.before.toFixed(2)} before, ${judge.after.toFixed(2)} after.`,
    drift ? 'They contradict the promotion: promotions are frozen until somebody has looked.' : '',
  ]
    .filter((part) => part !== '')
    .join(' ');
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function editCells(edit: EditReport): Cell[] {
  const of = (tally: { wins: number; losses: number; n: number } | null): string =>
    tally === null ? '' : `${tally.wins}/${tally.losses} of ${tally.n}`;
  const verdict = edit.decision === 'near_miss' ? `${edit.verdict} (near miss)` : edit.verdict;
  return [
    edit.label ?? edit.edit_id,
    `${edit.intent}, ${edit.segment}: ${edit.hypothesis}`,
    of(edit.screen),
    of(edit.confirm),
    edit.verdict === 'promote' ? { text: verdict, tone: 'good' } : verdict,
    edit.class === 'harmful' ? { text: edit.class, tone: 'bad' } : edit.class,
    edit.reason,
  ];
}

const STATUS = { ok: 'ok', blocked: 'worse', too_few: 'too few' } as const;

function segmentTables({ edits, baseline }: RunReport): string[] {
  const guarded = edits.filter((edit) => edit.segments.length > 0);
  const rates = baseline?.segments ?? [];
  const before = htmlTable(
    ['class', 'dev cases', 'passed before'],
    rates.map(({ segment, passed, n }) => [segment, String(n), percent(passed / n)]),
    'short',
  );
  return [
    ...(rates.length === 0 ? [] : [before]),
    ...(guarded.length === 0 ? ['<p>No edit reached the guard of the classes.</p>'] : []),
    ...guarded.map((edit) =>
      htmlDetails(
        `${edit.label ?? edit.edit_id}: ${edit.verdict}`,
        htmlTable(
          ['class', 'cases', 'won/lost', 'p of harm', 'status'],
          edit.segments.map(({ segment, cases, wins, losses, harm_p, status }): Cell[] => [
            segment,
            String(cases),
            `${wins}/${losses}`,
            harm_p.toFixed(3),
            status === 'blocked' ? { text: STATUS[status], tone: 'bad' } : STATUS[status],
          ]),
          'short',
        ),
        guarded.length === 1 || edit.segments.some(({ status }) => status === 'blocked'),
      ),
    ),
  ];
}

function costTable(edits: readonly EditReport[]): string {
  const rows = edits
    .filter(({ costs }) => costs.length > 0)
    .map(({ label, edit_id, costs }) => {
      const over = (of: 'calls' | 'tokens' | 'usd'): number => costs.reduce((sum, cost) => sum + cost[of], 0);
      const stages = costs.map(({ stage, calls }) => `${stage} ${calls}`).join(', ');
      return [label ?? edit_id, stages, String(over('tokens')), over('usd').toFixed(4)];
    });
  if (rows.length === 0) return '<p>No edit cost anything.</p>';
  return htmlTable(['edit', 'calls', 'tokens', 'USD'], rows, 'short');
}
