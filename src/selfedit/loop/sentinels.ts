import type { CurrentPrompt } from '../registry/registry.js';
import { mapLimited } from './pool.js';
import type { RunContext } from './run-context.js';

/** What the sentinels say about a candidate. */
export interface SentinelOutcome {
  readonly sentinels: number;
  /** Ids of those it lost. */
  readonly lost: readonly string[];
  /** Failed once and then passed: noise, recorded. */
  readonly flickered: readonly string[];
}

const RETRIES = 3;
const LOST_AT = 2;

/**
 * Dev cases that the current prompt passes in every replicate are run once with the candidate; one that fails is run three
 * times more, unless the provider is deterministic, and is lost when two of the three fail (spec 08 §24.6).
 */
export async function sentinels(
  context: RunContext,
  base: CurrentPrompt,
  candidate: string,
): Promise<SentinelOutcome> {
  const { parts, measurer, replicates } = context;
  const limit = parts.config.parallelism;
  const checked = await mapLimited(parts.cases.dev, limit, async (one) => {
    for (let replicate = 0; replicate < replicates; replicate += 1) {
      const answer = await measurer.reusable(base.text, base.sha256, one, replicate);
      if (answer.passed !== true) return null;
    }
    return one;
  });
  const steady = checked.flatMap((one) => (one === null ? [] : [one]));
  const fates = await mapLimited(steady, limit, async (one) => {
    const first = await measurer.fresh(candidate, one, 0);
    if (first.passed !== false) return 'kept';
    if (parts.executor.isDeterministic) return 'lost';
    let failures = 0;
    for (let retry = 1; retry <= RETRIES; retry += 1) {
      if ((await measurer.fresh(candidate, one, retry)).passed === false) failures += 1;
    }
    return failures >= LOST_AT ? 'lost' : 'flickered';
  });
  measurer.settle();
  const idsOf = (fate: string): string[] =>
    steady.filter((_, index) => fates[index] === fate).map(({ case_id }) => case_id);
  return { sentinels: steady.length, lost: idsOf('lost'), flickered: idsOf('flickered') };
}
