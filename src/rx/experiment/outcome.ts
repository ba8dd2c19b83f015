import { Mt19937 } from '../../stats/mt19937.js';
import { effectOf } from '../../stats/sequential-gate.js';
import { SignFlipEProcess } from '../../stats/sign-flip-e-process.js';
import { signFlipTestOnRates } from '../../stats/sign-flip-test.js';
import type { PairedFigures } from '../loop/run-result.js';
import type { AttemptOutcome } from '../types.js';
import { estimateEffect } from './effect.js';
import { type CompletePair, pairCounts } from './pair.js';

/** What the learner keeps of an attempt's figures (06 F.7.7). */
type OutcomeFigures = Pick<
  AttemptOutcome<unknown>,
  'n_pairs' | 'd_sum' | 'p_exact' | 'log_e' | 'gain' | 'gain_se'
>;

/** The figures of the paired gate, or the same computed afterwards on the runs of a z gate. */
export function pairedOutcome(pairs: readonly CompletePair[], paired: PairedFigures | null): OutcomeFigures {
  const dSum = pairs.reduce((sum, pair) => sum + pair.control.failures - pair.treatment.failures, 0);
  if (paired !== null) {
    const { p_exact, log_e, effect, effect_se } = paired;
    return { n_pairs: pairs.length, d_sum: dSum, p_exact, log_e, gain: effect, gain_se: effect_se };
  }
  const counts = pairs.map(pairCounts);
  const evidence = new SignFlipEProcess();
  const unit = counts[0]?.controlActions ?? 1;
  for (const pair of counts) evidence.push(effectOf(pair) * unit);
  const { effect, effect_se } = estimateEffect(pairs, 0);
  return {
    n_pairs: pairs.length,
    d_sum: dSum,
    p_exact: signFlipTestOnRates(counts, new Mt19937(0)),
    log_e: evidence.logE,
    gain: effect,
    gain_se: effect_se,
  };
}
