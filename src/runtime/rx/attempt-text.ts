import type { Comparison, Iteration, RunResult } from '../../rx/loop/run-result.js';
import { fixed } from '../../rx/report/format.js';

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

/** Three decimals, or the order of magnitude of a small p. */
function shortP(p: number): string {
  return p > 0 && p < 0.001 ? p.toExponential(0) : fixed(p, 3);
}
