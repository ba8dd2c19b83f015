import type { Iteration, RunResult } from './run-result.js';

/** An iteration with the figures of the paired gate beside the others, null where the z gate has none (06 C.6). */
type FlatIteration = Omit<Iteration, 'paired'> & Readonly<Record<string, unknown>>;

/** A run as `--json` prints it. */
export type RunJson = Omit<RunResult, 'iterations'> & { readonly iterations: readonly FlatIteration[] };

const NO_FIGURES = {
  alpha_k: null,
  n_decision: null,
  n_pairs: null,
  n_dropped: null,
  p_exact: null,
  log_e: null,
  effect: null,
  effect_low: null,
  effect_high: null,
  effect_se: null,
  effect_bootstrap: null,
  guard: [],
  attribution: null,
  log_e_path: [],
};

/** The stable JSON form of a run (06 C.6); numbers that are not finite become null when it is written. */
export function runJson(run: RunResult): RunJson {
  return { ...run, iterations: run.iterations.map(flatten) };
}

function flatten(iteration: Iteration): FlatIteration {
  const { paired, ...rest } = iteration;
  return { ...rest, ...NO_FIGURES, ...paired };
}
