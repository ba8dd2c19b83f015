import type { Case } from '../cases/case.js';
import type { PlanOptions, PlanParts } from './plan.js';

/** The stages of a run that cost something; `run` is all of them. */
type Stage = 'baseline' | 'analyzer' | 'screen' | 'confirm' | 'sentinels' | 'audit' | 'run';

/** Calls and US dollars, retries aside. */
export type CostPlan = {
  /** At most; `screen`, `confirm` and `sentinels` for one edit, `baseline` and `analyzer` for one iteration. */
  readonly calls: Readonly<Record<Stage, number>>;
  /** Upper bounds; null where not all prices are known. */
  readonly usd: Readonly<Record<Stage, number>> | null;
  /** A run in which each iteration brings one edit to a full test. */
  readonly likely: { readonly calls: number; readonly usd: number | null };
};

/** Calls on the candidate that a lost sentinel can cost with a sampled provider. */
const SENTINEL_CALLS = 4;

/** What the stages of a run can cost, and what the run will probably cost. */
export function planCosts(
  parts: PlanParts,
  confirm: readonly Case[],
  testsLeft: number,
  { iterations, isPriced, analyzerUsd }: PlanOptions,
): CostPlan {
  const { cases, executor, config, registry, runs, judge } = parts;
  const { isDeterministic } = executor;
  const replicates = isDeterministic ? config.replicates.deterministic : config.replicates.sampled;
  const text = registry.current()?.text ?? '';
  const one = (of: readonly Case[], usdOf: (one: Case) => number) => ({
    calls: of.length,
    usd: of.reduce((sum, each) => sum + usdOf(each), 0),
  });
  const most = (of: readonly Case[]) => one(of, (each) => executor.worstCaseUsd(text, each));
  const perCall = runs.usdPerCall('executor', executor.model);
  const likelyOf = (of: readonly Case[]) => one(of, (each) => perCall ?? executor.likelyUsd(text, each));

  const stages = (cost: typeof most, analyzer: number) => {
    const dev = cost(cases.dev);
    const held = cost(cases.audit);
    const rated = judge === null ? 0 : 2 * cases.audit.length;
    const ratedUsd =
      judge === null ? 0 : 2 * cases.audit.reduce((sum, each) => sum + judge.worstCaseUsd(each), 0);
    const onSentinels = replicates + (isDeterministic ? 1 : SENTINEL_CALLS);
    return {
      baseline: dev,
      // An answer whose edits do not fit is asked for once more.
      analyzer: { calls: 2, usd: 2 * analyzer },
      screen: times(dev, 2 * replicates),
      confirm: times(cost(confirm), 2 * replicates),
      sentinels: times(dev, onSentinels),
      audit: { calls: 2 * held.calls + rated, usd: 2 * held.usd + ratedUsd },
    };
  };
  // The edits of an iteration, and one that unites two of them.
  const edits = (config.proposals_per_batch + 1) * iterations;
  const bound = stages(most, analyzerUsd.most);
  const whole = sumOf([
    times(sumOf([bound.baseline, bound.analyzer]), iterations),
    times(bound.screen, edits),
    times(sumOf([bound.confirm, bound.sentinels]), Math.min(edits, testsLeft)),
    bound.audit,
  ]);
  const guess = stages(likelyOf, analyzerUsd.likely / 2);
  const likely = sumOf([
    times(sumOf([guess.baseline, guess.analyzer]), iterations),
    times(guess.screen, config.proposals_per_batch * iterations),
    times(guess.confirm, Math.min(iterations, testsLeft)),
    guess.audit,
  ]);
  const all = { ...bound, run: whole };
  const of = (what: 'calls' | 'usd'): Record<Stage, number> => ({
    baseline: all.baseline[what],
    analyzer: all.analyzer[what],
    screen: all.screen[what],
    confirm: all.confirm[what],
    sentinels: all.sentinels[what],
    audit: all.audit[what],
    run: all.run[what],
  });
  return {
    calls: of('calls'),
    usd: isPriced ? of('usd') : null,
    likely: { calls: likely.calls, usd: isPriced ? likely.usd : null },
  };
}

interface Cost {
  readonly calls: number;
  readonly usd: number;
}

function times({ calls, usd }: Cost, factor: number): Cost {
  return { calls: calls * factor, usd: usd * factor };
}

function sumOf(costs: readonly Cost[]): Cost {
  return {
    calls: costs.reduce((sum, { calls }) => sum + calls, 0),
    usd: costs.reduce((sum, { usd }) => sum + usd, 0),
  };
}
