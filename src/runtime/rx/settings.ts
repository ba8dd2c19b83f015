import { seedProblem } from '../../rx/loop/seed-blocks.js';
import { DEFAULT_SETTINGS, type LoopSettings } from '../../rx/loop/settings.js';
import { UserError } from '../shared/user-error.js';
import type { GateOptions } from './options.js';

/** The loop's settings out of what was given on the command line. */
export function settingsOf(options: GateOptions, base: LoopSettings = DEFAULT_SETTINGS): LoopSettings {
  return {
    ...base,
    gate: options.gate ?? base.gate,
    streams: options.streams ?? base.streams,
    max_pairs: options.maxPairs ?? base.max_pairs,
    min_effect: options.minEffect ?? base.min_effect,
    alpha: options.alpha ?? base.alpha,
    confirm_runs: options.confirmRuns ?? base.confirm_runs,
    seed: options.seed ?? base.seed,
  };
}

/**
 * Refuses settings whose blocks of seeds would overlap (06 F.4).
 *
 * @throws UserError `RA_RX_SEEDS`
 */
export function checkSeeds(settings: LoopSettings, aaPairs = 0): void {
  const problem = seedProblem(settings, aaPairs);
  if (problem === null) return;
  throw new UserError({
    code: 'RA_RX_SEEDS',
    happened: problem,
    expected: 'separate seeds for discovery, every attempt and the confirmation',
    todo: 'choose another --seed or fewer --max-iters, --max-pairs, --confirm-runs',
  });
}
