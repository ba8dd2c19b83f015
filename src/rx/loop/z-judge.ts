import { SystemFailure, type SystemUnderTest } from '../adapters/system.js';
import { compareCounts } from '../experiment/effect.js';
import type { CompletePair } from '../experiment/pair.js';
import type { Config, Metrics } from '../types.js';
import type { Judge } from './judge.js';
import type { LoopSettings } from './settings.js';

/** The reference's gate (06 C.1): a z-test on actions, the same seeds for every attempt and for the headline. */
export function zJudge(system: SystemUnderTest, settings: LoopSettings): Judge {
  const measure = async (control: Config, treatment: Config): Promise<CompletePair[]> => {
    const pairs: CompletePair[] = [];
    for (let seed = settings.seed; seed < settings.seed + settings.max_pairs; seed += 1) {
      pairs.push({
        seed,
        control: await runOrFail(system, control, seed, 'control'),
        treatment: await runOrFail(system, treatment, seed, 'treatment'),
      });
    }
    return pairs;
  };
  return {
    async attempt(_k, control, treatment) {
      const pairs = await measure(control, treatment);
      const comparison = compareCounts(pairs, settings.alpha);
      return {
        verdict: comparison.significant ? 'accept' : 'rejected',
        reason: comparison.significant
          ? 'Significantly fewer failures by the z-test on actions.'
          : 'No significant improvement by the z-test on actions.',
        pairs,
        comparison,
        paired: null,
      };
    },
    async headline(original, final) {
      const overall = compareCounts(await measure(original, final), settings.alpha);
      return { overall, confirmation: null, note: 'The headline uses the seeds that decided every attempt.' };
    },
  };
}

async function runOrFail(
  system: SystemUnderTest,
  config: Config,
  seed: number,
  arm: 'control' | 'treatment',
): Promise<Metrics> {
  const run = await system.measure({ config, seed, arm });
  if (!run.ok) throw new SystemFailure(`the ${arm} run with seed ${seed} failed: ${run.reason}`);
  return run.metrics;
}
