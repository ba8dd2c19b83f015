import { AlphaLedger } from '../../stats/alpha-ledger.js';
import { Mt19937 } from '../../stats/mt19937.js';
import type { SystemUnderTest } from '../adapters/system.js';
import { attribution, compareCounts, estimateEffect } from '../experiment/effect.js';
import { runPair } from '../experiment/pair.js';
import { PairLog } from '../experiment/pair-log.js';
import { type PairedExperiment, runPairedExperiment } from '../experiment/paired-experiment.js';
import type { Config } from '../types.js';
import type { Headline, Judge } from './judge.js';
import type { PairedFigures } from './run-result.js';
import { attemptSeed, confirmationSeed } from './seed-blocks.js';
import type { LoopSettings } from './settings.js';

/** The default gate (06 F.3–F.5): fresh seeds per attempt, recycled levels, headline from a block of its own. */
export function pairedJudge(system: SystemUnderTest, settings: LoopSettings): Judge {
  const ledger = new AlphaLedger(settings.alpha, Math.max(1, settings.max_iters));
  return {
    async attempt(k, control, treatment, targetClass) {
      const alpha = ledger.next ?? 0;
      const firstSeed = attemptSeed(settings.seed, k);
      const experiment = await runPairedExperiment(
        system,
        { control, treatment },
        { firstSeed, maxPairs: settings.max_pairs, alpha, minEffect: settings.min_effect },
      );
      ledger.settle(experiment.verdict === 'accept' ? 'promoted' : 'not_promoted');
      return {
        verdict: experiment.verdict,
        reason: experiment.reason,
        pairs: experiment.pairs,
        comparison: compareCounts(experiment.pairs, settings.alpha),
        paired: figuresOf(experiment, alpha, firstSeed, targetClass),
      };
    },
    headline: (original, final) => confirm(system, settings, original, final),
  };
}

function figuresOf(
  experiment: PairedExperiment,
  alpha: number,
  firstSeed: number,
  targetClass: string,
): PairedFigures {
  return {
    alpha_k: alpha,
    n_decision: experiment.nDecision,
    n_pairs: experiment.pairs.length,
    n_dropped: experiment.dropped,
    p_exact: experiment.pExact,
    log_e: experiment.logE,
    ...estimateEffect(experiment.pairs, firstSeed),
    guard: experiment.guard.classes,
    attribution: attribution(experiment.pairs, targetClass),
    log_e_path: experiment.logEPath,
  };
}

/** Original against final on seeds that decided nothing (06 F.4). */
async function confirm(
  system: SystemUnderTest,
  settings: LoopSettings,
  original: Config,
  final: Config,
): Promise<Headline> {
  if (settings.confirm_runs <= 0) {
    return { overall: null, confirmation: null, note: 'Not confirmed: no confirmation runs were asked for.' };
  }
  const firstSeed = confirmationSeed(settings.seed);
  const order = new Mt19937(firstSeed);
  const log = new PairLog(settings.confirm_runs);
  const arms = { control: original, treatment: final, label: 'confirmation' } as const;
  for (let i = 0; i < settings.confirm_runs && !log.hopeless; i += 1) {
    log.add(await runPair(system, arms, firstSeed + i, order));
  }
  const invalid = log.invalid;
  if (invalid !== null) return { overall: null, confirmation: null, note: `Not confirmed: ${invalid}.` };
  const overall = compareCounts(log.complete, settings.alpha);
  const { effect, effect_low, effect_high } = estimateEffect(log.complete, firstSeed);
  const confirmation = {
    control_failures: overall.control_failures,
    treatment_failures: overall.treatment_failures,
    total: overall.control_total,
    treatment_total: overall.treatment_total,
    effect,
    effect_low,
    effect_high,
    n_pairs: log.complete.length,
    n_dropped: log.lost.length,
  };
  return { overall, confirmation, note: null };
}
