import { Mt19937 } from '../../stats/mt19937.js';
import { signFlipTestOnRates, swapArms } from '../../stats/sign-flip-test.js';
import type { SystemUnderTest } from '../adapters/system.js';
import type { Config } from '../types.js';
import { armsAgree, pairCounts, runAaPair } from './pair.js';
import { PairLog } from './pair-log.js';

/** Control against control: what the harness itself does to a comparison (06 F.8). */
export interface AaCheck {
  readonly n_pairs: number;
  readonly n_dropped: number;
  /** Exact one-sided p in either direction, by the order in which the two runs of a pair happened. */
  readonly p_first_worse: number;
  readonly p_second_worse: number;
  /** Every pair agreed in every class: equal seeds give equal runs. */
  readonly reproducible: boolean;
  /** Why the harness must not be trusted, or null. */
  readonly broken: string | null;
}

/** An A/A difference this unlikely means a broken harness. */
const BROKEN_LEVEL = 0.01;

/** Runs A/A pairs of one configuration on seeds of their own. */
export async function runAaCheck(
  system: SystemUnderTest,
  config: Config,
  firstSeed: number,
  pairs: number,
): Promise<AaCheck> {
  const random = new Mt19937(firstSeed);
  const log = new PairLog(pairs);
  for (let i = 0; i < pairs && !log.hopeless; i += 1) log.add(await runAaPair(system, config, firstSeed + i));
  const counts = log.complete.map(pairCounts);
  const pFirst = signFlipTestOnRates(counts, random);
  const pSecond = signFlipTestOnRates(counts.map(swapArms), random);
  return {
    n_pairs: log.complete.length,
    n_dropped: log.lost.length,
    p_first_worse: pFirst,
    p_second_worse: pSecond,
    reproducible: log.complete.length > 0 && log.complete.every(armsAgree),
    broken: brokenReason(log, Math.min(pFirst, pSecond)),
  };
}

function brokenReason(log: PairLog, p: number): string | null {
  if (log.invalid !== null) return log.invalid;
  if (p >= BROKEN_LEVEL) return null;
  return `the unchanged system differs from itself (exact p ${p.toPrecision(2)}, at least ${BROKEN_LEVEL} expected)`;
}
