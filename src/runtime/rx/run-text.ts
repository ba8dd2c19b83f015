import type { Comparison, Iteration, RunResult } from '../../rx/loop/run-result.js';
import { fixed } from '../../rx/report/format.js';

/** A run for a terminal, 80 columns: headline, attempts, what changed, notes. */
export function runText(run: RunResult): string {
  const sections = [
    [headline(run), acceptedLine(run)],
    attemptLines(run),
    configLines(run),
    run.notes.map((note) => `note: ${note}`),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join('\n')}\n`)
    .join('\n');
}

/** `49.9 % -> 15.0 %`, or that nothing was confirmed. */
export function ratesText(overall: Comparison | null): string {
  if (overall === null) return 'not confirmed';
  return `${percentText(overall.control_rate)} -> ${percentText(overall.treatment_rate)}`;
}

/** A share with one decimal and a space before the sign. */
export function percentText(share: number): string {
  return `${fixed(share * 100, 1)} %`;
}

/** The attempts as a table. */
export function attemptLines(run: RunResult): string[] {
  if (run.iterations.length === 0) return ['no attempt was made'];
  const paired = run.gate === 'paired';
  const head = `${'#'.padStart(2)}  ${'action'.padEnd(28)}${'failures'.padEnd(15)}`;
  const columns = paired ? `${'pairs'.padEnd(7)}${'p'.padEnd(10)}${'ln E'.padEnd(8)}` : 'p'.padEnd(10);
  return [`${head}${columns}verdict`, ...run.iterations.map((iteration) => attemptLine(iteration))];
}

function attemptLine(iteration: Iteration): string {
  const { index, action_id, control_failures, treatment_failures, paired, verdict, p_value } = iteration;
  const counts = `${control_failures} -> ${treatment_failures}`;
  const start = `${String(index).padStart(2)}  ${action_id.slice(0, 27).padEnd(28)}${counts.padEnd(15)}`;
  if (paired === null) return `${start}${shortP(p_value).padEnd(10)}${verdict}`;
  const { n_pairs, p_exact, log_e } = paired;
  return `${start}${String(n_pairs).padEnd(7)}${shortP(p_exact).padEnd(10)}${fixed(log_e, 1).padEnd(8)}${verdict}`;
}

function headline(run: RunResult): string {
  if (run.overall === null) return 'failures: not confirmed';
  const where = run.confirmation === null ? 'on the seeds that decided' : 'on seeds that decided nothing';
  return `failures: ${ratesText(run.overall)}, measured ${where}${intervalText(run)}`;
}

function intervalText({ confirmation }: RunResult): string {
  if (confirmation === null || confirmation.effect_low === null || confirmation.effect_high === null)
    return '';
  const [low, high] = [confirmation.effect_low, confirmation.effect_high].map((x) => fixed(x * 100, 1));
  return `\n          ${fixed(confirmation.effect * 100, 1)} points fewer, 95 % interval ${low} to ${high}`;
}

function acceptedLine(run: RunResult): string {
  const n = run.accepted.length;
  return `accepted: ${n === 0 ? 'nothing' : n} of ${run.iterations.length} attempts`;
}

function configLines(run: RunResult): string[] {
  const changed = Object.entries(run.final_config).filter(
    ([knob, value]) => run.baseline_config[knob] !== value,
  );
  if (changed.length === 0) return ['configuration: unchanged'];
  return changed.map(([knob, value]) => `${knob}: ${run.baseline_config[knob]} -> ${value}`);
}

/** Three decimals, or the order of magnitude of a small p. */
function shortP(p: number): string {
  return p > 0 && p < 0.001 ? p.toExponential(0) : fixed(p, 3);
}
