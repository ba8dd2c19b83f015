import { type Command, InvalidArgumentError, Option } from 'commander';
import type { GateKind } from '../../rx/loop/run-result.js';
import type { SimulatorStreams } from '../../rx/simulator/draws.js';

/** Bounds of a number, both included. */
export interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

/** Parser of a whole number for commander; refuses what is none or out of bounds. */
export function wholeNumber(bounds: Bounds = {}): (text: string) => number {
  return (text) => within(/^[+-]?\d{1,16}$/.test(text) ? Number(text) : Number.NaN, bounds, 'a whole number');
}

/** Parser of a finite number for commander. */
export function anyNumber(bounds: Bounds = {}): (text: string) => number {
  return (text) => {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    return within(Number.isFinite(value) ? value : Number.NaN, bounds, 'a number');
  };
}

/** `--gate`: how an attempt is decided (06 C.6). Without a default when a command must know whether it was given. */
export function gateOption(): Option {
  return new Option('--gate <kind>', "how to decide: our paired gate, or the original's z-test").choices([
    'paired',
    'z',
  ]);
}

/** `--streams`: how the simulator draws its luck; `shared` is another word for `reference` (06 C.6). */
export function streamsOption(): Option {
  return new Option('--streams <kind>', 'luck of the simulator: independent or reference').argParser(
    (text): SimulatorStreams => {
      if (text === 'independent') return text;
      if (text === 'reference' || text === 'shared') return 'reference';
      throw new InvalidArgumentError('Expected independent or reference.');
    },
  );
}

/** What `addGateOptions` gives; numbers are absent when not given. */
export interface GateOptions {
  readonly gate?: GateKind;
  readonly streams?: SimulatorStreams;
  readonly maxPairs?: number;
  readonly minEffect?: number;
  readonly alpha?: number;
  readonly confirmRuns?: number;
  readonly seed?: number;
}

const CONFIRM_RUNS: Bounds = { min: 0, max: 100_000 };

/** The options that `demo` and `run` share. */
export function addGateOptions(command: Command): Command {
  return command
    .addOption(gateOption())
    .addOption(streamsOption())
    .option('--max-pairs <n>', 'pairs of runs per attempt, at most', wholeNumber({ min: 2, max: 1000 }))
    .option('--min-effect <x>', 'smallest gain worth having (0.005)', anyNumber({ min: 0, max: 1 }))
    .option('--alpha <x>', 'chance of any false accept in a run (0.05)', anyNumber({ min: 1e-6, max: 0.5 }))
    .option('--confirm-runs <n>', 'runs per side for the headline; 0: none', wholeNumber(CONFIRM_RUNS))
    .option('--seed <n>', 'first seed of the experiments (1000)', wholeNumber({ min: 0, max: 2 ** 50 }));
}

function within(value: number, { min, max }: Bounds, kind: string): number {
  if (value >= (min ?? Number.NEGATIVE_INFINITY) && value <= (max ?? Number.POSITIVE_INFINITY)) return value;
  const low = min === undefined ? '' : ` of at least ${min}`;
  const high = max === undefined ? '' : `${low === '' ? ' of' : ' and'} at most ${max}`;
  throw new InvalidArgumentError(`Expected ${kind}${low}${high}.`);
}
