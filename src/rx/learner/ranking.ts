import type { RankedIncident, Ranking, Regime } from '../types.js';

/** Ranks by descending score; ties keep their order. */
export function rankBy<I>(
  incidents: readonly I[],
  score: (incident: I) => number,
  regime: Regime,
  reason: string,
): Ranking<I> {
  const ranked = incidents.map((incident) => ({ incident, priority: score(incident) }));
  return { regime, reason, ranked: ranked.sort((a, b) => b.priority - a.priority) };
}

const MOST_CANDIDATES = 12;

/**
 * Orders candidates under a budget of attempts (spec 06 F.7.5). With equal costs the ranking stays. Otherwise the subset of
 * the first twelve with the largest total value within the budget comes first, by value per cost: greedy value per cost
 * alone would spend the budget on cheap small gains.
 */
export function orderWithinBudget<I>(
  ranked: readonly RankedIncident<I>[],
  costOf: (incident: I) => number,
  budget: number,
): RankedIncident<I>[] {
  const costs = ranked.map((one) => costOf(one.incident));
  if (new Set(costs).size <= 1) return [...ranked];
  const chosen = bestSubset(
    ranked.slice(0, MOST_CANDIDATES).map((one) => one.priority),
    costs,
    budget,
  );
  const perCost = (i: number) => (ranked[i]?.priority ?? 0) / (costs[i] ?? 1);
  const first = ranked.map((_, i) => i).filter((i) => ((chosen >> i) & 1) === 1);
  first.sort((a, b) => perCost(b) - perCost(a));
  const others = ranked.map((_, i) => i).filter((i) => ((chosen >> i) & 1) === 0 || i >= MOST_CANDIDATES);
  return [...first, ...others].flatMap((i) => ranked[i] ?? []);
}

/** Bit set of the affordable subset with the largest total value; members of no value are left out. */
function bestSubset(values: readonly number[], costs: readonly number[], budget: number): number {
  let best = { subset: 0, value: 0 };
  for (let subset = 1; subset < 1 << values.length; subset++) {
    let value = 0;
    let cost = 0;
    for (const [i, gain] of values.entries()) {
      if (((subset >> i) & 1) === 0) continue;
      value += gain;
      cost += costs[i] ?? 1;
    }
    if (cost <= budget && value > best.value) best = { subset, value };
  }
  return best.subset;
}
