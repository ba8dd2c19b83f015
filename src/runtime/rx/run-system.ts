import { DEFAULT_CATALOGUE } from '../../rx/actions/catalogue.js';
import { execSystem } from '../../rx/adapters/exec-system.js';
import { parseRunConfig, simulatorSystem } from '../../rx/adapters/simulator-system.js';
import type { RunRequest, SystemUnderTest } from '../../rx/adapters/system.js';
import { watchRuns } from '../../rx/adapters/watch-runs.js';
import { type AaCheck, runAaCheck } from '../../rx/experiment/aa-check.js';
import { aaSeed } from '../../rx/loop/seed-blocks.js';
import { type LoopSettings, MAX_PAIRS_IRREPRODUCIBLE, SIMULATED_TURNS } from '../../rx/loop/settings.js';
import { GROUND_TRUTH } from '../../rx/simulator/ground-truth.js';
import type { Catalogue } from '../../rx/types.js';
import type { CommandIo } from '../shared/command.js';
import { UserError } from '../shared/user-error.js';
import type { RunOptions } from './run.js';
import { checkSeeds } from './settings.js';

/** What is repaired, and the settings that fit it. */
export interface ChosenSystem {
  readonly system: SystemUnderTest;
  readonly settings: LoopSettings;
  readonly groundTruth?: ReadonlyMap<string, string>;
  readonly aa?: AaCheck;
}

/** Confirmation runs of a real system: they are not free (06 F.4). */
const EXEC_CONFIRM_RUNS = 40;

/** The bundled simulator. */
export function chooseSimulator(
  options: RunOptions,
  settings: LoopSettings,
  catalogue: Catalogue,
): ChosenSystem {
  if (options.command !== undefined) throw usage('--command belongs to --adapter exec');
  const knobs = parseRunConfig(catalogue.config);
  if (!knobs.ok) {
    throw new UserError({
      code: 'RA_RX_CATALOGUE',
      happened: knobs.reason,
      todo: 'give these knobs in the catalogue, or use --adapter exec',
    });
  }
  checkSeeds(settings);
  const streams = settings.streams === 'reference' ? 'reference' : 'independent';
  const system = simulatorSystem(streams, SIMULATED_TURNS);
  return catalogue === DEFAULT_CATALOGUE
    ? { system, settings, groundTruth: GROUND_TRUTH }
    : { system, settings };
}

/**
 * A real system: checked against itself first, which also shows whether equal seeds give equal runs (06 F.8, F.3).
 *
 * @throws UserError `RA_RX_HARNESS` when it cannot be trusted
 */
export async function chooseProgram(
  options: RunOptions,
  wanted: LoopSettings,
  catalogue: Catalogue,
  io: CommandIo,
  onRun: (request: RunRequest, count: number) => void,
  signal?: AbortSignal,
): Promise<ChosenSystem> {
  const { command } = options;
  if (command === undefined) throw usage('--adapter exec needs --command');
  if (options.streams !== undefined) throw usage('--streams belongs to the simulator');
  if (wanted.gate === 'z') throw usage('--gate z belongs to the simulator');
  const settings: LoopSettings = {
    ...wanted,
    streams: 'external',
    confirm_runs: options.confirmRuns ?? EXEC_CONFIRM_RUNS,
  };
  checkSeeds({ ...settings, max_pairs: options.maxPairs ?? MAX_PAIRS_IRREPRODUCIBLE }, options.aaPairs);
  const limits = { timeoutMs: options.runTimeoutS * 1000, maxOutputBytes: options.maxOutputMb * 1024 * 1024 };
  const program = execSystem({ command, cwd: io.cwd, env: io.env, limits, ...(signal && { signal }) });
  const system = watchRuns(program, onRun);
  if (options.aaPairs === 0) return { system, settings: irreproducible(settings, options) };
  const aa = await runAaCheck(system, catalogue.config, aaSeed(settings.seed), options.aaPairs);
  if (aa.broken !== null) {
    throw new UserError({
      code: 'RA_RX_HARNESS',
      happened: `control against control: ${aa.broken}`,
      expected: 'runs that depend on nothing but RX_CONFIG_JSON and RX_SEED',
      todo: 'repair the program, or give it more time with --run-timeout-s',
    });
  }
  return { system, aa, settings: aa.reproducible ? settings : irreproducible(settings, options) };
}

function irreproducible(settings: LoopSettings, options: RunOptions): LoopSettings {
  return { ...settings, max_pairs: options.maxPairs ?? MAX_PAIRS_IRREPRODUCIBLE };
}

function usage(happened: string): UserError {
  return new UserError({ code: 'RA_USAGE', happened, todo: 'see rx run --help' });
}
