// What the two gates of rx do, measured: node bench/run.mjs bench/rx-gates.ts
// Figures of spec 06 F.2-F.5 and H.5, H.6; seeded, so that every run prints the same numbers (times aside).
import { simulatorSystem } from '../src/rx/adapters/simulator-system.js';
import type { SystemUnderTest } from '../src/rx/adapters/system.js';
import { falseAcceptsOfPairedGate, falseAcceptsOfZGate, nullPool } from '../src/rx/experiment/null-study.js';
import { runPairedExperiment } from '../src/rx/experiment/paired-experiment.js';
import { pairsUsed, studyOptimum } from '../src/rx/loop/optimum-study.js';
import { runLoop } from '../src/rx/loop/run-loop.js';
import { DEFAULT_SETTINGS, type LoopSettings, REFERENCE_SETTINGS } from '../src/rx/loop/settings.js';
import { simulatorParts } from '../src/rx/loop/simulated.js';
import type { SimulatorStreams } from '../src/rx/simulator/draws.js';
import { DEFAULT_CONFIG } from '../src/rx/simulator/simulate.js';
import type { Config } from '../src/rx/types.js';
import { median } from '../src/stats/descriptive.js';

const SEED_SETS = 40;
const NULL_RUNS = 4000;
const REPETITIONS = 500;
/** A rare event needs more of them. */
const NULL_REPETITIONS = 3000;
const FIRST_LEVEL = 0.00625;
const TURNS = 20;

export async function main(): Promise<void> {
  await oneRun();
  await seedSets();
  await nullFixes();
  await powerWithFreshLuck();
  await guard();
}

async function oneRun(): Promise<void> {
  title('The default run', ['gate', 'streams', 'attempts', 'pairs', 'before', 'after', 'ms']);
  for (const settings of allSettings()) {
    const start = performance.now();
    const run = await runLoop(simulatorParts(settings), settings);
    const rates = [run.overall?.control_rate ?? Number.NaN, run.overall?.treatment_rate ?? Number.NaN];
    row([
      settings.gate,
      settings.streams,
      run.iterations.length,
      pairsUsed(run),
      ...rates.map(percent),
      Math.round(performance.now() - start),
    ]);
  }
}

async function seedSets(): Promise<void> {
  title(`Optimum over ${SEED_SETS} seed sets`, ['gate', 'streams', 'optimal', 'attempts', 'pairs']);
  for (const settings of allSettings()) {
    const study = await studyOptimum(settings, SEED_SETS);
    const { optimal, seed_sets, mean_attempts, mean_pairs } = study;
    row([
      settings.gate,
      settings.streams,
      `${optimal}/${seed_sets}`,
      mean_attempts.toFixed(2),
      mean_pairs.toFixed(1),
    ]);
  }
}

async function nullFixes(): Promise<void> {
  title(`Runs of eight null fixes with any accept, ${NULL_RUNS} runs`, ['gate', 'share']);
  const pool = nullPool(6000);
  row(['z', percent(falseAcceptsOfZGate(pool, NULL_RUNS, 11).share)]);
  row(['paired', percent((await falseAcceptsOfPairedGate(pool, NULL_RUNS, 12)).share)]);
}

/** Arms that share no luck, as in a system whose seeds do not reproduce. */
async function powerWithFreshLuck(): Promise<void> {
  title(`Fresh luck per arm, level ${FIRST_LEVEL}, ${REPETITIONS} experiments (null ${NULL_REPETITIONS})`, [
    'fix',
    'n_max',
    'accepted',
    'pairs',
  ]);
  const fixes: readonly [string, Partial<typeof DEFAULT_CONFIG>][] = [
    ['nothing', {}],
    ['consistency 0.55 -> 0.75', { planner_consistency: 0.75 }],
    ['consistency 0.55 -> 0.90', { planner_consistency: 0.9 }],
    ['one retry', { navigator_retries: 1 }],
  ];
  for (const [name, fix] of fixes) {
    for (const maxPairs of [40, 80, 120]) {
      const times = name === 'nothing' ? NULL_REPETITIONS : REPETITIONS;
      const result = await repeat(freshLuck('independent'), fix, maxPairs, {}, times);
      row([name, maxPairs, percent(result.accepted / times), result.meanPairs.toFixed(1)]);
    }
  }
}

async function guard(): Promise<void> {
  title(`Guard, shared luck, ${REPETITIONS} experiments`, [
    'fix',
    'streams',
    'accepted',
    'blocked',
    'median pairs',
  ]);
  const fixes: readonly [string, Partial<typeof DEFAULT_CONFIG>, Partial<typeof DEFAULT_CONFIG>][] = [
    ['one retry', {}, { navigator_retries: 1 }],
    ['consistency 0.55 -> 0.90', {}, { planner_consistency: 0.9 }],
    ['timeout 800 -> 1600', {}, { timeout_ms: 1600 }],
    ['retry for friction +0.10', {}, { navigator_retries: 1, friction_rate: 0.3 }],
    ['retry for friction +0.04', {}, { navigator_retries: 1, friction_rate: 0.24 }],
    [
      'timeout for consistency -0.05',
      { planner_consistency: 0.9 },
      { timeout_ms: 1600, planner_consistency: 0.85 },
    ],
    [
      'timeout for consistency -0.10',
      { planner_consistency: 0.9 },
      { timeout_ms: 1600, planner_consistency: 0.8 },
    ],
  ];
  for (const [name, before, after] of fixes) {
    for (const streams of ['independent', 'reference'] as const) {
      const result = await repeat(simulatorSystem(streams, TURNS), { ...before, ...after }, 40, before);
      row([
        name,
        streams,
        percent(result.accepted / REPETITIONS),
        percent(result.harmful / Math.max(1, result.accepted + result.harmful)),
        result.medianPairs,
      ]);
    }
  }
}

async function repeat(
  system: SystemUnderTest,
  fix: Partial<typeof DEFAULT_CONFIG>,
  maxPairs: number,
  start: Partial<typeof DEFAULT_CONFIG> = {},
  times = REPETITIONS,
) {
  const control: Config = { ...DEFAULT_CONFIG, ...start };
  const treatment: Config = { ...control, ...fix };
  const pairs: number[] = [];
  let accepted = 0;
  let harmful = 0;
  for (let i = 0; i < times; i += 1) {
    const plan = { firstSeed: 100_000 + 1000 * i, maxPairs, alpha: FIRST_LEVEL, minEffect: 0.005 };
    const result = await runPairedExperiment(system, { control, treatment }, plan);
    if (result.verdict === 'accept') accepted += 1;
    if (result.verdict === 'harmful') harmful += 1;
    pairs.push(result.nDecision);
  }
  const meanPairs = pairs.reduce((sum, n) => sum + n, 0) / pairs.length;
  return { accepted, harmful, meanPairs, medianPairs: median(pairs) ?? 0 };
}

function freshLuck(streams: SimulatorStreams): SystemUnderTest {
  const system = simulatorSystem(streams, TURNS);
  return {
    ...system,
    measure: (request) =>
      system.measure(request.arm === 'treatment' ? { ...request, seed: request.seed + 7e8 } : request),
  };
}

function allSettings(): LoopSettings[] {
  return (['reference', 'independent'] as const).flatMap((streams) => [
    { ...REFERENCE_SETTINGS, streams },
    { ...DEFAULT_SETTINGS, streams },
  ]);
}

function title(text: string, columns: readonly string[]): void {
  process.stdout.write(`\n${text}\n`);
  row(columns);
}

function row(cells: readonly (string | number)[]): void {
  const [first, ...rest] = cells.map(String);
  process.stdout.write(
    `${(first ?? '').padEnd(31)}${rest.map((cell) => cell.padEnd(13)).join('')}`.trimEnd(),
  );
  process.stdout.write('\n');
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
