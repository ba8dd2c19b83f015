import { pairsForPower } from '../../stats/power.js';
import type { Case } from '../cases/case.js';
import { confirmUnits } from '../cases/case-set.js';
import { confirmationPower, fewestWins, ratesFromExpectation } from '../gate/power.js';
import { meanOr0 } from '../numbers.js';
import type { LoopParts } from './parts.js';
import { type CostPlan, planCosts } from './plan-costs.js';
import { netNeeded } from './screen.js';

/** What a run could show and would cost, computed without a call (spec 08 §24.3). */
export type Plan = {
  readonly prompt_id: string;
  readonly epoch: number;
  readonly tests_left: number;
  /** Null: the epoch is closed. */
  readonly alpha: number | null;
  readonly cases: { readonly dev: number; readonly confirm: number; readonly audit: number };
  /** Audit cases that a human labelled. */
  readonly human_audit_cases: number;
  /** Units of a confirmation. */
  readonly planned: number;
  readonly fewest_wins: number;
  /** How the current prompt did when earlier runs measured it; null: none has. */
  readonly baseline: {
    readonly dev_cases: number;
    readonly pass_share: number;
    /** Confirm cases that it will fail, going by that. */
    readonly failing_confirm: number;
  } | null;
  readonly screen_net: number;
  /** Power by the net gain in points, without losses. */
  readonly power: readonly { readonly gain: number; readonly power: number }[];
  /** Cases for a power of 0.8 at a gain of 5 points without losses. */
  readonly cases_for_5_points: number | null;
  readonly thin_segments: readonly string[];
  readonly feasible: boolean;
  readonly reasons: readonly string[];
  /** What does not stand in the way, and should be known. */
  readonly warnings: readonly string[];
} & CostPlan;

export type PlanParts = Pick<
  LoopParts,
  'promptId' | 'registry' | 'ledger' | 'runs' | 'cases' | 'executor' | 'config' | 'judge'
>;

export interface PlanOptions {
  readonly seed: number;
  readonly iterations: number;
  /** Prices of all models are known. */
  readonly isPriced: boolean;
  /** US dollars of one question to the analyzer. */
  readonly analyzerUsd: { readonly most: number; readonly likely: number };
  /** US dollars that a run may spend. */
  readonly budgetUsd: number;
  /** US dollars that are left of the day. */
  readonly dayLeftUsd: number;
}

const GAINS = [0.03, 0.05, 0.08, 0.1, 0.15, 0.2];
const SEGMENT_FLOOR = 8;
const LEAST_POWER = 0.5;

/** Power, cost and what stands in the way. */
export function planRun(parts: PlanParts, options: PlanOptions): Plan {
  const { ledger, cases, config } = parts;
  const alpha = ledger.nextAlpha(config);
  const rules = ledger.rules(config);
  const level = alpha ?? rules.alpha_epoch / rules.confirmations_per_epoch;
  const units = confirmUnits(cases.confirm, options.seed, config.confirm_target);
  const tests_left = alpha === null ? 0 : rules.confirmations_per_epoch - testsUsed(parts);
  const power = GAINS.map((gain) => ({
    gain,
    power: confirmationPower({ fixed: gain, broken: 0 }, units.length, level, rules.early_alpha_share),
  }));
  const needed = fewestWins(level, rules.early_alpha_share);
  const baseline = baselineFor(parts, units.length);
  const best = power.at(-1)?.power ?? 0;
  const reasons = [
    ...(cases.dev.length === 0 ? ['there are no dev cases'] : []),
    ...(units.length < config.confirm_min
      ? [`${units.length} confirm cases, at least ${config.confirm_min} are needed`]
      : []),
    ...(alpha === null ? [`epoch ${ledger.epoch} has had its ${rules.confirmations_per_epoch} tests`] : []),
    ...(best < LEAST_POWER
      ? [`even a gain of 20 points would be found with a chance of ${best.toFixed(2)} only`]
      : []),
    ...(baseline !== null && baseline.failing_confirm < needed
      ? [
          `the prompt fails on about ${baseline.failing_confirm} confirm cases, fewer than the ${needed} wins of a pass`,
        ]
      : []),
  ];
  const costs = planCosts(parts, units.flat(), tests_left, options);
  const thin_segments = thinSegments(units.flat());
  const human = cases.audit.filter(({ source }) => source === 'human').length;
  return {
    prompt_id: parts.promptId,
    epoch: ledger.epoch,
    tests_left,
    alpha,
    cases: { dev: cases.dev.length, confirm: cases.confirm.length, audit: cases.audit.length },
    human_audit_cases: human,
    planned: units.length,
    fewest_wins: needed,
    baseline,
    screen_net: netNeeded(cases.dev.length, config.screen_min_net_share),
    power,
    cases_for_5_points: pairsForPower(
      ratesFromExpectation(5, 100).fixed,
      0,
      level - rules.early_alpha_share * level,
    ),
    ...costs,
    thin_segments,
    feasible: reasons.length === 0,
    reasons,
    warnings: [
      ...(thin_segments.length === 0
        ? []
        : [`fewer than ${SEGMENT_FLOOR} cases, so not guarded: ${thin_segments.join(', ')}`]),
      ...(human === 0 ? ['no audit case was labelled by a human: its accuracy is that of the builder'] : []),
      ...budgetWarnings(costs, options),
    ],
  };
}

/** How many confirm cases the current prompt will fail, by what earlier runs saw on the dev cases. */
function baselineFor({ registry, runs, promptId }: PlanParts, planned: number): Plan['baseline'] {
  const current = registry.current();
  const rates = current === null ? [] : runs.baseRates(promptId, current.sha256);
  if (rates.length === 0) return null;
  const pass_share = meanOr0(rates.map(({ pass }) => pass));
  return { dev_cases: rates.length, pass_share, failing_confirm: Math.round((1 - pass_share) * planned) };
}

function budgetWarnings({ usd }: CostPlan, { budgetUsd, dayLeftUsd }: PlanOptions): string[] {
  if (usd === null) return [];
  const left = Math.max(0, Math.min(budgetUsd, dayLeftUsd));
  const first = usd.baseline + usd.analyzer + usd.screen;
  const test = usd.confirm + usd.sentinels;
  if (left < first + test) {
    const what = left < first ? 'a first screen' : 'a first test';
    const most = (left < first ? first : first + test).toFixed(4);
    return [`${left.toFixed(4)} USD are left, and ${what} can take ${most}: the run would stop before it`];
  }
  return usd.run > left ? [`${left.toFixed(4)} USD are left: the run may stop before its last stage`] : [];
}

function thinSegments(cases: readonly Case[]): string[] {
  const counts = new Map<string, number>();
  for (const { segment } of cases) counts.set(segment, (counts.get(segment) ?? 0) + 1);
  return [...counts]
    .filter(([, n]) => n < SEGMENT_FLOOR)
    .map(([name]) => name)
    .sort();
}

function testsUsed({ ledger }: PlanParts): number {
  return ledger.rows().filter(({ outcome }) => outcome !== 'void').length;
}
