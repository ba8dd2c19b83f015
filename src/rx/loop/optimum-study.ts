import { runLoop } from './run-loop.js';
import type { RunResult } from './run-result.js';
import type { LoopSettings } from './settings.js';
import { simulatorParts } from './simulated.js';

/** How often a gate repairs the simulator completely, over many sets of seeds (06 F.2, H.5). */
export interface OptimumStudy {
  readonly seed_sets: number;
  readonly optimal: number;
  readonly mean_attempts: number;
  readonly mean_pairs: number;
}

/** Runs the loop on the seed sets of 06 F.2: discovery from 4200 + 97s, evaluation from 10,000 + 20,000s. */
export async function studyOptimum(settings: LoopSettings, seedSets: number): Promise<OptimumStudy> {
  let optimal = 0;
  let attempts = 0;
  let pairs = 0;
  for (let s = 0; s < seedSets; s += 1) {
    const seeds = { discovery_seed: 4200 + 97 * s, seed: 10_000 + 20_000 * s, confirm_runs: 0 };
    const planned = { ...settings, ...seeds };
    const run = await runLoop(simulatorParts(planned), planned);
    if (isOptimum(run)) optimal += 1;
    attempts += run.iterations.length;
    pairs += pairsUsed(run);
  }
  return {
    seed_sets: seedSets,
    optimal,
    mean_attempts: attempts / seedSets,
    mean_pairs: pairs / seedSets,
  };
}

/** All three curable classes cured as far as the catalogue goes (06 H.5). */
export function isOptimum(run: RunResult): boolean {
  const { planner_consistency, navigator_retries, timeout_ms } = run.final_config;
  return planner_consistency === 0.95 && Number(navigator_retries) >= 1 && Number(timeout_ms) >= 1600;
}

/** Pairs of runs that all attempts of a run cost. */
export function pairsUsed(run: RunResult): number {
  return run.iterations.reduce((sum, { paired }) => sum + (paired?.n_pairs ?? run.max_pairs), 0);
}
