import type { Plan } from '../../selfedit/loop/plan.js';

/** A plan for a terminal. */
export function planText(plan: Plan): string {
  const { cases, calls, usd } = plan;
  const power = plan.power
    .map(({ gain, power }) => `${gain * 100} -> ${(power * 100).toFixed(0)} %`)
    .join(', ');
  return [
    `${plan.prompt_id}, epoch ${plan.epoch}: ${plan.tests_left} tests left, level of the next ${plan.alpha ?? 'none'}`,
    `cases: ${cases.dev} dev, ${cases.confirm} confirm, ${cases.audit} audit; ${plan.planned} per test`,
    `a pass needs ${plan.fewest_wins} wins at least, a screen ${plan.screen_net} net`,
    `power by points fixed: ${power}`,
    `5 points without losses want ${plan.cases_for_5_points ?? 'more than 5000'} cases`,
    `calls at most: ${calls.screen} a screen, ${calls.confirm} a test, ${calls.run} the run`,
    usd === null
      ? 'USD: unknown, because no model with a price is configured'
      : `USD at most: ${usd.screen.toFixed(4)} a screen, ${usd.confirm.toFixed(4)} a test, ${usd.run.toFixed(4)} the run`,
    ...(plan.thin_segments.length === 0
      ? []
      : [`fewer than 8 cases, so not guarded: ${plan.thin_segments.join(', ')}`]),
    plan.feasible ? 'feasible' : `infeasible: ${plan.reasons.join('; ')}`,
    '',
  ].join('\n');
}
