import type { Plan } from '../../selfedit/loop/plan.js';
import { wrapText } from '../../selfedit/report/wrap.js';

/** A plan for a terminal, in 80 columns. */
export function planText(plan: Plan): string {
  const { cases, calls, usd, likely, baseline } = plan;
  const power = plan.power
    .map(({ gain, power }) => `${Math.round(gain * 100)} -> ${(power * 100).toFixed(0)} %`)
    .join(', ');
  const row = (name: string, stage: keyof Plan['calls']): string =>
    `  ${name.padEnd(22)}${String(calls[stage]).padStart(8)} calls${usd === null ? '' : `${usd[stage].toFixed(4).padStart(12)} USD`}`;
  return [
    `${plan.prompt_id}, epoch ${plan.epoch}: ${plan.tests_left} tests left, level of the next ${plan.alpha ?? 'none'}`,
    `cases: ${cases.dev} dev, ${cases.confirm} confirm, ${cases.audit} audit; ${plan.planned} per test`,
    baseline === null
      ? 'how the current prompt does is not known before a first run'
      : `the current prompt passed ${(baseline.pass_share * 100).toFixed(0)} % of ${baseline.dev_cases} dev cases, so fails about ${baseline.failing_confirm}`,
    `a pass needs ${plan.fewest_wins} wins at least, a screen ${plan.screen_net} net`,
    ...wrapText(`power by points fixed: ${power}`, '  '),
    `5 points without losses want ${plan.cases_for_5_points ?? 'more than 5000'} cases`,
    '',
    'at most, retries aside:',
    row('baseline, iteration', 'baseline'),
    row('analyzer, iteration', 'analyzer'),
    row('screen, edit', 'screen'),
    row('test, edit', 'confirm'),
    row('sentinels, edit', 'sentinels'),
    row('audit', 'audit'),
    row('the whole run', 'run'),
    usd === null
      ? 'USD: unknown, because no model with a price is configured'
      : `likely: ${likely.calls} calls, ${(likely.usd ?? 0).toFixed(4)} USD`,
    '',
    ...plan.warnings.flatMap((warning) => wrapText(`note: ${warning}`, '  ')),
    ...wrapText(plan.feasible ? 'feasible' : `infeasible: ${plan.reasons.join('; ')}`, '  '),
    '',
  ].join('\n');
}
