import { type Figures, precisionOf, recallOf, type ScenarioSummary } from './summary.js';

const RULE = '-'.repeat(110);

/** What a simulation can and cannot show; printed with every report. */
export const LIMITS: readonly string[] = [
  'These sessions are invented: by people who know the specification, the recorded session and the reports of operators,',
  'yet by the same people who know the rules. What nobody thought of is missing from both.',
  'Fast runs replace the collectors by a model of them (the reading of logs, of engine samples, of the kernel and of Ray',
  'is the real one); what a collector misreads on a real machine shows in live runs only, which some kinds have.',
  'Rates depend on the mix of scenarios, each weighs the same. Real weeks are mostly ordinary days.',
  'When a fault counts as visible, and which alerts are acceptable beside it, is a judgement; it stands in the scenario.',
  'Symptoms that only tell the time (deadline_warning, phase_budget_nearly_exhausted) count as right while the clock agrees.',
  'A no-progress alarm that the Coordinator raises itself is taken at its word.',
];

/** The report for a terminal, at most 110 columns wide. */
export function renderTable(
  summaries: readonly ScenarioSummary[],
  healthy: Figures,
  faulty: Figures,
  { isLive = false } = {},
): string {
  const lines = [
    ...section('Healthy kinds', ['kind', 'hours', 'ticks', 'HIGH', 'MEDIUM', '/100 h', 'wrongly said']),
    ...summaries.filter(({ kind }) => kind === 'healthy').map(healthyRow),
    '',
    ...section('Faulty kinds', ['kind', 'found', 'delay', 'alerts', 'wrong', 'notes']),
    ...summaries.filter(({ kind }) => kind === 'faulty').map(faultyRow),
    '',
    ...totals(healthy, faulty, isLive),
    '',
    'Limits',
    ...LIMITS.map((line) => `  ${line}`),
  ];
  return `${lines.join('\n')}\n`;
}

function section(title: string, columns: readonly string[]): string[] {
  return [title, RULE, `  ${columns.join('   ')}`, RULE];
}

function healthyRow(summary: ScenarioSummary): string {
  const { scenario, hours, ticks, falseHigh, falseMedium, wrong } = summary;
  const rate = ((falseMedium + falseHigh) / hours) * 100;
  const said = Object.entries(wrong).map(([what, count]) => `${what} x${count}`);
  return `  ${scenario.padEnd(36)}${hours.toFixed(0).padStart(6)}${String(ticks).padStart(7)}${String(falseHigh).padStart(5)}${String(falseMedium).padStart(5)}${rate.toFixed(1).padStart(7)}  ${said.join(', ')}`.trimEnd();
}

function faultyRow(summary: ScenarioSummary): string {
  const { scenario, found, faults, medianDelayTicks, worstDelayTicks, alertsPerIncident, wrong, isUnseen } =
    summary;
  const delay = medianDelayTicks === null ? '-' : `${medianDelayTicks}..${worstDelayTicks ?? '-'}`;
  const said = Object.entries(wrong).map(([what, count]) => `${what} x${count}`);
  const notes = [...(found < faults ? ['MISSED'] : []), ...(isUnseen ? ['unseen wording'] : []), ...said];
  return `  ${scenario.padEnd(36)}${`${found}/${faults}`.padStart(8)}${delay.padStart(8)}${(alertsPerIncident ?? 0).toFixed(1).padStart(7)}  ${notes.join(', ')}`.trimEnd();
}

function totals(healthy: Figures, faulty: Figures, isLive: boolean): string[] {
  const per100 = (count: number, { hours }: Figures) =>
    hours === 0 ? '-' : ((count / hours) * 100).toFixed(2);
  const percent = (value: number | null) => (value === null ? '-' : `${(value * 100).toFixed(1)} %`);
  const all = [healthy, faulty];
  const sum = (pick: (figures: Figures) => number) =>
    all.reduce((total, figures) => total + pick(figures), 0);
  return [
    'All healthy sessions',
    `  ${healthy.runs} sessions, ${healthy.hours.toFixed(0)} h, ${healthy.ticks} ticks`,
    `  false HIGH ${healthy.falseHigh}, false MEDIUM ${healthy.falseMedium} (${per100(healthy.falseMedium, healthy)} per 100 h), destructive intents ${healthy.falseDestructive}`,
    `  remarks of low severity ${healthy.remarks} (${per100(healthy.remarks, healthy)} per 100 h), true reminders of the time ${healthy.timeNotices}`,
    'All faulty sessions',
    `  ${faulty.runs} sessions, ${faulty.hours.toFixed(0)} h, ${faulty.ticks} ticks, ${faulty.faults} faults that could be seen`,
    `  recall ${percent(recallOf(faulty))}, delay after visibility: median ${faulty.medianDelayTicks ?? '-'} ticks (${faulty.medianDelayMinutes?.toFixed(1) ?? '-'} min), worst ${faulty.worstDelayTicks ?? '-'} ticks`,
    `  alerts in the first hour of an incident: ${faulty.newsPerIncident?.toFixed(2) ?? '-'} (${faulty.newsPerRecoveredIncident?.toFixed(2) ?? '-'} where a destructive intent was confirmed); with reminders ${faulty.alertsPerIncident?.toFixed(2) ?? '-'}`,
    `  wrong beside the fault: HIGH ${faulty.falseHigh}, MEDIUM ${faulty.falseMedium}, destructive ${faulty.falseDestructive}`,
    'Both',
    `  precision of HIGH ${percent(
      precisionOf(
        sum((f) => f.rightHigh),
        sum((f) => f.falseHigh),
      ),
    )}, of MEDIUM ${percent(
      precisionOf(
        sum((f) => f.rightMedium),
        sum((f) => f.falseMedium),
      ),
    )}; escalations lost ${isLive ? 'unknown: a live run does not show what was muted' : sum((f) => f.escalationsLost)}`,
  ];
}
