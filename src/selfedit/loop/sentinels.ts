import type { CurrentPrompt } from '../registry/registry.js';
import { mapLimited } from './pool.js';
import type { SentinelReport } from './report.js';
import type { RunContext } from './run-context.js';

const RETRIES = 3;
const LOST_AT = 2;

/** Upper bound of what the sentinels of a candidate can cost, US dollars. */
export function sentinelCostUsd(context: RunContext, base: string, candidate: string): number {
  const { executor, cases } = context.parts;
  const most = executor.isDeterministic ? 1 : 1 + RETRIES;
  const oldCost = context.worstCaseUsd([base], cases.dev);
  return cases.dev.reduce((sum, one) => sum + most * executor.worstCaseUsd(candidate, one), oldCost);
}

/**
 * Dev cases that the current prompt passes in every replicate are run once with the candidate; one that fails is run three
 * times more, unless the provider is deterministic, and is lost when two of the three fail (spec 08 §24.6). One that gives no
 * answer is neither kept nor lost, but unknown.
 */
export async function sentinels(
  context: RunContext,
  base: CurrentPrompt,
  candidate: string,
): Promise<SentinelReport> {
  const { parts, measurer, replicates } = context;
  const limit = parts.config.parallelism;
  const before = await mapLimited(parts.cases.dev, limit, async (one) => {
    for (let replicate = 0; replicate < replicates; replicate += 1) {
      const { passed } = await measurer.reusable(base.text, base.sha256, one, replicate);
      if (passed !== true) return passed === null ? 'unknown' : 'unsteady';
    }
    return 'steady';
  });
  const steady = parts.cases.dev.filter((_, index) => before[index] === 'steady');
  const silent = parts.cases.dev.filter((_, index) => before[index] === 'unknown');
  const fates = await mapLimited(steady, limit, async (one) => {
    const first = await measurer.fresh(candidate, one, 0);
    if (first.passed !== false) return first.passed === null ? 'unknown' : 'kept';
    if (parts.executor.isDeterministic) return 'lost';
    let failures = 0;
    let passes = 0;
    for (let retry = 1; retry <= RETRIES; retry += 1) {
      const { passed } = await measurer.fresh(candidate, one, retry);
      if (passed === false) failures += 1;
      if (passed === true) passes += 1;
    }
    if (failures >= LOST_AT) return 'lost';
    return passes >= LOST_AT ? 'flickered' : 'unknown';
  });
  measurer.settle();
  const idsOf = (fate: string): string[] =>
    steady.filter((_, index) => fates[index] === fate).map(({ case_id }) => case_id);
  return {
    sentinels: steady.length,
    lost: idsOf('lost'),
    flickered: idsOf('flickered'),
    unknown: [...silent.map(({ case_id }) => case_id), ...idsOf('unknown')],
  };
}
