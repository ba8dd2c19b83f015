import { BettingEProcess, bettingGrid } from '../../stats/betting-e-process.js';

/** What live outcomes say about a promoted version. */
export type LiveJudgement =
  | { readonly kind: 'unknown'; readonly have: number; readonly need: number }
  | {
      readonly kind: 'ok' | 'harm';
      readonly e_value: number;
      readonly outcomes: number;
      readonly floor: number;
    };

export interface LiveRules {
  readonly shadow_min: number;
  readonly live_harm_evalue: number;
  readonly live_margin: number;
}

const BETS = 20;
const BASELINE = 200;

/**
 * Evidence that a version does worse than m, the pass rate of the one before it less a margin (spec 08 §24.10): E = mean over
 * twenty λ_j = (j − ½)/(40·(1 − m)) of Π(1 + λ_j·(m − x)). Too few earlier outcomes: nothing is said.
 *
 * @param before labelled outcomes of the previous version, oldest first; the last 200 count
 * @param outcomes of the new version, oldest first
 */
export function judgeLive(
  before: readonly boolean[],
  outcomes: readonly boolean[],
  rules: LiveRules,
): LiveJudgement {
  const base = before.slice(-BASELINE);
  if (base.length < rules.shadow_min) return { kind: 'unknown', have: base.length, need: rules.shadow_min };
  const floor = base.filter(Boolean).length / base.length - rules.live_margin;
  if (floor <= 0) return { kind: 'ok', e_value: 0, outcomes: outcomes.length, floor };
  const evidence = new BettingEProcess(bettingGrid(BETS, 0.5 / (1 - floor)));
  for (const [index, isRight] of outcomes.entries()) {
    evidence.push(floor - Number(isRight));
    if (evidence.value >= rules.live_harm_evalue) {
      return { kind: 'harm', e_value: evidence.value, outcomes: index + 1, floor };
    }
  }
  return { kind: 'ok', e_value: evidence.value, outcomes: outcomes.length, floor };
}
