import { mean, sampleDeviation } from '../../stats/descriptive.js';
import { Mt19937 } from '../../stats/mt19937.js';
import { signFlipTest } from '../../stats/sign-flip-test.js';
import { twoProportionZ } from '../../stats/two-proportion-z.js';
import { DEFAULT_ACTIONS } from '../actions/catalogue.js';
import { applyPatch, patchOf } from '../actions/patch.js';
import type { Incident } from '../incidents/incident.js';
import { scoreIncidents } from '../incidents/score.js';
import { proposeHeuristic } from '../proposer/heuristic.js';
import type { SimulatorStreams } from '../simulator/draws.js';
import { simulate, simulateMetrics } from '../simulator/simulate.js';
import type { Patch, RunConfig } from '../types.js';
import { incidentFeatures } from './features.js';
import type { LabelledRow } from './labelled-row.js';

/** How a labelled data set is generated. */
export interface DatasetPlan {
  readonly episodes: number;
  readonly streams: SimulatorStreams;
  /** `reference` seeds overlap between episodes (spec 06 C.3); `disjoint` ones do not (F.7.3). */
  readonly seeds: 'reference' | 'disjoint';
  readonly dataset_seed?: number;
  readonly eval_runs?: number;
  readonly eval_turns?: number;
  readonly onEpisode?: (done: number) => void;
}

/** Both arms of one experiment, per run. */
export interface MeasuredArms {
  readonly control: readonly number[];
  readonly treatment: readonly number[];
  /** Actions of one arm. */
  readonly total: number;
}

/** One incident of one broken configuration, its first fix, and what the fix did. */
export interface DatasetRow {
  readonly episode: number;
  readonly config: RunConfig;
  readonly incident: Incident;
  readonly features: readonly number[];
  /** Null when no action of the catalogue changes anything. */
  readonly patch: Patch | null;
  readonly arms: MeasuredArms | null;
  /** Two-sided p of the z-test on counts of actions; null without an experiment. */
  readonly p_z: number | null;
  readonly label_z: 0 | 1;
  /** Exact one-sided paired p; null without an experiment. */
  readonly p_exact: number | null;
  readonly label_paired: 0 | 1;
  /** Mean reduction of the failure rate with its standard error. */
  readonly gain: number | null;
  readonly gain_se: number | null;
}

const DISCOVERY = { runs: 12, turns: 20 } as const;
const ALPHA = 0.05;

/** Labelled incidents of random broken configurations (spec 06 C.3; seeds F.7.3). */
export function generateDataset(plan: DatasetPlan): DatasetRow[] {
  const { episodes, dataset_seed = 7 } = plan;
  const random = new Mt19937(dataset_seed);
  const rows: DatasetRow[] = [];
  for (let episode = 0; episode < episodes; episode++) {
    const config = drawConfig(random);
    const events = simulate(config, {
      ...DISCOVERY,
      seed: discoverySeed(plan, episode),
      streams: plan.streams,
    });
    for (const incident of scoreIncidents(events)) rows.push(labelIncident(plan, episode, config, incident));
    plan.onEpisode?.(episode + 1);
  }
  return rows;
}

/** The rows as the learner takes them, by either label. */
export function labelledRows(rows: readonly DatasetRow[], label: 'z' | 'paired'): LabelledRow[] {
  return rows.map((row) => ({
    features: row.features,
    label: label === 'z' ? row.label_z : row.label_paired,
    gain: row.gain,
    group: String(row.episode),
  }));
}

function drawConfig(random: Mt19937): RunConfig {
  const planner_consistency = Number(random.uniform(0.45, 0.85).toFixed(3));
  const navigator_retries = random.choice([0, 0, 0, 1]);
  const timeout_ms = random.choice([600, 800, 1000, 1200]);
  const friction_rate = Number(random.uniform(0.1, 0.3).toFixed(3));
  return { planner_consistency, navigator_retries, timeout_ms, friction_rate };
}

function labelIncident(
  plan: DatasetPlan,
  episode: number,
  config: RunConfig,
  incident: Incident,
): DatasetRow {
  const base = { episode, config, incident, features: incidentFeatures(incident) };
  const patch = firstPatch(incident, config);
  if (patch === null) {
    const unmeasured = { arms: null, p_z: null, p_exact: null, gain: null, gain_se: null } as const;
    return { ...base, ...unmeasured, patch, label_z: 0, label_paired: 0 };
  }
  const arms = measure(plan, episode, config, { ...config, ...applyPatch(config, patch) });
  const differences = arms.control.map((failures, i) => failures - (arms.treatment[i] ?? 0));
  const perRun = arms.total / arms.control.length;
  const z = twoProportionZ(armCounts(arms.control, arms.total), armCounts(arms.treatment, arms.total), ALPHA);
  const exact = signFlipTest(differences, new Mt19937(0));
  return {
    ...base,
    patch,
    arms,
    p_z: z.pValue,
    label_z: z.significant ? 1 : 0,
    p_exact: exact,
    label_paired: exact <= ALPHA / 2 ? 1 : 0,
    gain: mean(differences) / perRun,
    gain_se: sampleDeviation(differences) / Math.sqrt(differences.length) / perRun,
  };
}

function firstPatch(incident: Incident, config: RunConfig): Patch | null {
  for (const { action_id } of proposeHeuristic(incident, { actions: DEFAULT_ACTIONS })) {
    const action = DEFAULT_ACTIONS.find((one) => one.action_id === action_id);
    const patch = action === undefined ? null : patchOf(action, config);
    if (patch !== null) return patch;
  }
  return null;
}

function measure(plan: DatasetPlan, episode: number, control: RunConfig, treatment: RunConfig): MeasuredArms {
  const { eval_runs: runs = 24, eval_turns: turns = 20, streams } = plan;
  const first = evaluationSeed(plan, episode);
  const failuresOf = (config: RunConfig) =>
    Array.from({ length: runs }, (_, run) => simulateMetrics(config, streams, first + run, turns).failures);
  return { control: failuresOf(control), treatment: failuresOf(treatment), total: 3 * runs * turns };
}

function armCounts(failures: readonly number[], total: number): { failures: number; total: number } {
  return { failures: failures.reduce((sum, n) => sum + n, 0), total };
}

function discoverySeed(plan: DatasetPlan, episode: number): number {
  return plan.seeds === 'reference' ? 100 + episode : 100_000 + 100 * episode;
}

function evaluationSeed(plan: DatasetPlan, episode: number): number {
  return plan.seeds === 'reference' ? 5000 + 7 * episode : 200_000 + 100 * episode;
}
