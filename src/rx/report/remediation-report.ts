import type { Iteration, RunResult } from '../loop/run-result.js';
import { evidenceChart, failureRateChart } from './charts.js';
import { type Block, type Document, heading, list, paragraph, picture, table } from './document.js';
import { fixed, percent, pValue, signedPercent } from './format.js';

/** The report of a run of the loop (spec 06 C.5), for `toMarkdown` and `toHtml`. */
export function remediationReport(run: RunResult): Document {
  const evidence = evidenceChart(run.iterations);
  return [
    heading(1, 'Remediation report'),
    paragraph(outcomeLine(run)),
    paragraph(acceptedLine(run)),
    ...(run.iterations.length === 0 ? [] : [picture(failureRateChart(run.iterations))]),
    ...(evidence === null ? [] : [picture(evidence)]),
    heading(2, 'Configuration'),
    configTable(run),
    heading(2, 'Attempts'),
    ...attempts(run),
    heading(2, 'Prioritizer'),
    paragraph(prioritizerLine(run)),
    ...(run.notes.length === 0 ? [] : [heading(2, 'Notes'), list(run.notes)]),
  ];
}

function outcomeLine(run: RunResult): string {
  const { overall, confirmation } = run;
  if (overall === null) return 'Outcome: not confirmed. No runs were set aside to measure the result.';
  const rates = `${percent(overall.control_rate, 1)} → ${percent(overall.treatment_rate, 1)} failed actions`;
  const change = `${signedPercent(overall.rel_delta)}, p = ${fixed(overall.p_value, 4)}`;
  const verdict = overall.significant ? 'a significant improvement' : 'no significant improvement';
  if (confirmation === null)
    return `Outcome: ${rates} (${change}): ${verdict}, measured on the seeds that decided.`;
  const { effect, effect_low: low, effect_high: high, n_pairs: pairs } = confirmation;
  const interval =
    low === null || high === null ? '' : `, 95 % interval ${fixed(low * 100, 1)} to ${fixed(high * 100, 1)}`;
  return `Outcome: ${rates} (${change}): ${fixed(effect * 100, 1)} points fewer${interval}, on ${pairs} pairs of runs that decided nothing.`;
}

function acceptedLine(run: RunResult): string {
  const names = run.accepted.length === 0 ? 'none' : run.accepted.join(', ');
  return `Accepted: ${run.accepted.length} (${names}); right lever in ${percent(run.precision)} of them.`;
}

function configTable(run: RunResult): Block {
  const rows = Object.entries(run.final_config).map(([knob, value]) => {
    const before = run.baseline_config[knob];
    return [knob, String(before), String(value), before === value ? '' : 'changed'];
  });
  return table(['knob', 'baseline', 'remediated', ''], rows);
}

function attempts(run: RunResult): Block[] {
  if (run.iterations.length === 0) return [paragraph('No attempt was made.')];
  const header = ['#', 'incident', 'action', 'regime', 'result', 'verdict', 'right lever'];
  const rows = run.iterations.map((one) => [
    String(one.index),
    one.incident,
    `${one.action_id}: ${String(one.patch.from)} → ${String(one.patch.to)}`,
    one.regime,
    resultSummary(one),
    one.verdict,
    one.right_lever ? 'yes' : 'no',
  ]);
  return [table(header, rows), ...run.iterations.flatMap(guardTable), ...details(run.iterations)];
}

/** Rates, change, evidence and verdict of an attempt in one line (spec 06 B.9). */
export function resultSummary(one: Iteration): string {
  const rates = `${percent(one.control_rate, 1)} → ${percent(one.treatment_rate, 1)}`;
  const change = `${signedPercent(one.rel_delta)} ${one.abs_delta < 0 ? 'improved' : 'regressed'}`;
  if (one.paired === null) {
    const doubt = one.tentative ? ', tentative' : '';
    return `${rates} (${change}), p = ${fixed(one.p_value, 3)}${doubt}`;
  }
  const { n_pairs: pairs, p_exact: p, log_e: logE } = one.paired;
  return `${rates} (${change}), ${pairs} pairs, p = ${pValue(p)}, ln E = ${fixed(logE, 1)}`;
}

function guardTable(one: Iteration): Block[] {
  const unsafe = one.paired?.guard.filter((guarded) => !guarded.safe) ?? [];
  if (!one.accepted && one.verdict !== 'harmful') return [];
  if (unsafe.length === 0) return [];
  const rows = unsafe.map((guarded) => [
    guarded.class,
    pValue(guarded.p_harm),
    Number.isFinite(guarded.upper) ? percent(guarded.upper, 2) : 'unknown',
    percent(guarded.margin, 2),
  ]);
  return [
    paragraph(`Attempt ${one.index}: these failure classes were not shown safe.`),
    table(['class', 'p of harm', 'increase at most', 'margin'], rows),
  ];
}

function details(iterations: readonly Iteration[]): Block[] {
  return [
    list(iterations.map((one) => `Attempt ${one.index}: ${one.reason} Chosen because: ${one.rationale}`)),
  ];
}

function prioritizerLine(run: RunResult): string {
  const { n, auc_heuristic: heuristic, auc_learned: learned, brier_learned: brier } = run.prioritizer_metrics;
  const start = `Final regime: ${run.final_regime}; ${n} labels.`;
  if (learned !== undefined && brier !== undefined) {
    const against = heuristic === undefined ? '' : ` against ${fixed(heuristic, 2)} of the heuristic`;
    return `${start} In sample, hence no proof: AUC ${fixed(learned, 2)}${against}, Brier ${fixed(brier, 3)}.`;
  }
  if (heuristic === undefined) return `${start} All labels are alike, so nothing can be said of the ranking.`;
  return `${start} AUC of the heuristic in sample ${fixed(heuristic, 2)}; the labels do not suffice for a model.`;
}
