import { pairsForPower } from '../../stats/power.js';
import { confirmUnits } from '../cases/case-set.js';
import { confirmationPower, fewestWins, ratesFromExpectation } from '../gate/power.js';
import type { LoopParts } from './parts.js';
import { netNeeded } from './screen.js';

/** What a run could show and would cost, computed without a call (spec 08 §24.3). */
export type Plan = {
  readonly prompt_id: string;
  readonly epoch: number;
  readonly tests_left: number;
  /** Null: the epoch is closed. */
  readonly alpha: number | null;
  readonly cases: { readonly dev: number; readonly confirm: number; readonly audit: number };
  /** Units of a confirmation. */
  readonly planned: number;
  readonly fewest_wins: number;
  readonly screen_net: number;
  /** Power by the net gain in points, without losses. */
  readonly power: readonly { readonly gain: number; readonly power: number }[];
  /** Cases for a power of 0.8 at a gain of 5 points without losses. */
  readonly cases_for_5_points: number | null;
  readonly calls: { readonly screen: number; readonly confirm: number; readonly run: number };
  /** Upper bounds; null where no model with a known price is configured. */
  readonly usd: { readonly screen: number; readonly confirm: number; readonly run: number } | null;
  readonly thin_segments: readonly string[];
  readonly feasible: boolean;
  readonly reasons: readonly string[];
};

type PlanParts = Pick<LoopParts, 'promptId' | 'registry' | 'ledger' | 'cases' | 'executor' | 'config'>;

const GAINS = [0.03, 0.05, 0.08, 0.1, 0.15, 0.2];
const SEGMENT_FLOOR = 8;
const LEAST_POWER = 0.5;

/** Power, cost and what stands in the way. */
export function planRun(parts: PlanParts, seed: number, iterations: number, isPriced: boolean): Plan {
  const { ledger, cases, config, executor, registry } = parts;
  const alpha = ledger.nextAlpha(config);
  const rules = ledger.rules(config);
  const level = alpha ?? rules.alpha_epoch / rules.confirmations_per_epoch;
  const units = confirmUnits(cases.confirm, seed, config.confirm_target);
  const replicates = executor.isDeterministic ? config.replicates.deterministic : config.replicates.sampled;
  const text = registry.current()?.text ?? '';
  const usdOf = (of: readonly (typeof cases.dev)[number][]): number =>
    2 * replicates * of.reduce((sum, one) => sum + executor.worstCaseUsd(text, one), 0);
  const power = GAINS.map((gain) => ({
    gain,
    power: confirmationPower({ fixed: gain, broken: 0 }, units.length, level, rules.early_alpha_share),
  }));
  const perScreen = 2 * replicates * cases.dev.length;
  const perConfirm = 2 * replicates * units.flat().length;
  const edits = config.proposals_per_batch * iterations;
  const counts = new Map<string, number>();
  for (const { segment } of units.flat()) counts.set(segment, (counts.get(segment) ?? 0) + 1);
  const needed = fewestWins(level, rules.early_alpha_share);
  const usd = { screen: usdOf(cases.dev), confirm: usdOf(units.flat()) };
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
  ];
  return {
    prompt_id: parts.promptId,
    epoch: ledger.epoch,
    tests_left: alpha === null ? 0 : rules.confirmations_per_epoch - testsUsed(parts),
    alpha,
    cases: { dev: cases.dev.length, confirm: cases.confirm.length, audit: cases.audit.length },
    planned: units.length,
    fewest_wins: needed,
    screen_net: netNeeded(cases.dev.length, config.screen_min_net_share),
    power,
    cases_for_5_points: pairsForPower(
      ratesFromExpectation(5, 100).fixed,
      0,
      level - rules.early_alpha_share * level,
    ),
    calls: { screen: perScreen, confirm: perConfirm, run: edits * (perScreen + perConfirm) },
    usd: isPriced ? { ...usd, run: edits * (usd.screen + usd.confirm) } : null,
    thin_segments: [...counts]
      .filter(([, n]) => n < SEGMENT_FLOOR)
      .map(([name]) => name)
      .sort(),
    feasible: reasons.length === 0,
    reasons,
  };
}

function testsUsed({ ledger }: PlanParts): number {
  return ledger.rows().filter(({ outcome }) => outcome !== 'void').length;
}
