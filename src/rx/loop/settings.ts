import type { GateKind, StreamKind } from './run-result.js';

/** Everything a run of the loop is told (06 C.1, C.6, F.4). */
export interface LoopSettings {
  readonly gate: GateKind;
  readonly streams: StreamKind;
  readonly max_iters: number;
  readonly discovery_seed: number;
  readonly discovery_runs: number;
  /** First evaluation seed. */
  readonly seed: number;
  readonly alpha: number;
  /** n_max of an attempt; for the z gate the runs per arm. */
  readonly max_pairs: number;
  readonly min_effect: number;
  /** Runs per arm of the confirmation block; 0: no headline. */
  readonly confirm_runs: number;
}

/** The defaults of `rx demo` and `rx run` on the simulator. */
export const DEFAULT_SETTINGS: LoopSettings = {
  gate: 'paired',
  streams: 'independent',
  max_iters: 8,
  discovery_seed: 42,
  discovery_runs: 12,
  seed: 1000,
  alpha: 0.05,
  max_pairs: 40,
  min_effect: 0.005,
  confirm_runs: 200,
};

/** The original's settings (06 C.1). */
export const REFERENCE_SETTINGS: LoopSettings = { ...DEFAULT_SETTINGS, gate: 'z', streams: 'reference' };

/** Pairs of an attempt when equal seeds do not give equal runs (06 F.3). */
export const MAX_PAIRS_IRREPRODUCIBLE = 120;

/** Turns of a simulated run (06 C.1). */
export const SIMULATED_TURNS = 20;
