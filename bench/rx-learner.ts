// What the incident learner is worth: recorded training set split by episode, calibration, and ranking by expected value.
// node bench/run.mjs bench/rx-learner.ts

import { DEFAULT_ACTIONS } from '../src/rx/actions/catalogue.js';
import { applyPatch, patchOf } from '../src/rx/actions/patch.js';
import type { Incident } from '../src/rx/incidents/incident.js';
import { scoreIncidents } from '../src/rx/incidents/score.js';
import { AdaptivePrioritizer } from '../src/rx/learner/adaptive-prioritizer.js';
import { type DatasetRow, generateDataset, labelledRows } from '../src/rx/learner/dataset.js';
import { evaluateScorers, type Figure } from '../src/rx/learner/evaluation.js';
import { incidentFeatures } from '../src/rx/learner/features.js';
import { fitGradientDescent } from '../src/rx/learner/gradient-descent.js';
import { splitByGroup } from '../src/rx/learner/groups.js';
import { priorOfFeatures, priorWithoutEnvironment } from '../src/rx/learner/heuristic-prior.js';
import { fitIrls } from '../src/rx/learner/irls.js';
import { featuresOf, type LabelledRow, labelsOf } from '../src/rx/learner/labelled-row.js';
import { probability } from '../src/rx/learner/logistic-model.js';
import {
  expectedValue,
  successProbability,
  type TrainedModel,
  trainModel,
} from '../src/rx/learner/trained-model.js';
import { proposeHeuristic } from '../src/rx/proposer/heuristic.js';
import { simulate, simulateMetrics } from '../src/rx/simulator/simulate.js';
import type { RunConfig } from '../src/rx/types.js';
import { Mt19937 } from '../src/stats/mt19937.js';
import { recordedRows } from '../tests/rx/learner/training-set.js';

const SPLITS = 20;

export function main(): void {
  recordedTrainingSet();
  manySplits();
  calibration();
  ranking();
  coldStart();
}

/** The reference's rows with both labels, no row of a test episode in training. */
function recordedTrainingSet(): void {
  for (const label of ['label', 'labelPaired'] as const) {
    title(
      `training.csv, ${label === 'label' ? "the original's labels" : 'paired labels'}, split by episode (42 / 18), 95 % intervals over episodes`,
    );
    const rows = recorded(label);
    const { train, test } = part(rows, 0);
    const irls = fitIrls(featuresOf(train), labelsOf(train), 1).model;
    const descent = fitGradientDescent(featuresOf(train), labelsOf(train));
    const base = labelsOf(train).reduce((sum, y) => sum + y, 0) / train.length;
    const scored = (name: string, score: (x: readonly number[]) => number) => ({
      name,
      scores: test.map((row) => score(row.features)),
    });
    const evaluations = evaluateScorers(
      [
        scored('learned (IRLS)', (x) => probability(irls, x)),
        scored("learned (original's 600 steps)", (x) => probability(descent, x)),
        scored('prior', priorOfFeatures),
        scored('prior, environment 0', priorWithoutEnvironment),
        scored('base rate', () => base),
      ],
      labelsOf(test),
      test.map((row) => row.group),
      { seed: 0 },
    );
    row(['', 'AUC', 'Brier', 'ECE']);
    for (const one of evaluations) row([one.name, show(one.auc, 3), show(one.brier, 4), show(one.ece, 4)]);
  }
}

/** One split is luck: the same over twenty. */
function manySplits(): void {
  title(`The same over ${SPLITS} splits: mean and range of the AUC on unseen episodes`);
  row(['', 'mean', 'lowest', 'highest']);
  for (const label of ['label', 'labelPaired'] as const) {
    const rows = recorded(label);
    const aucs = Array.from({ length: SPLITS }, (_, seed) => {
      const { train, test } = part(rows, seed);
      const { model } = fitIrls(featuresOf(train), labelsOf(train), 1);
      const scores = { name: 's', scores: test.map((one) => probability(model, one.features)) };
      const groups = test.map((one) => one.group);
      const [found] = evaluateScorers([scores], labelsOf(test), groups, { seed, resamples: 2 });
      return found?.auc.value ?? Number.NaN;
    });
    const mean = aucs.reduce((sum, value) => sum + value, 0) / aucs.length;
    const name = label === 'label' ? "original's labels" : 'paired labels';
    row([name, mean.toFixed(4), Math.min(...aucs).toFixed(4), Math.max(...aucs).toFixed(4)]);
  }
}

/** 600 training and 1800 fresh rows (06 F.7.4). */
function calibration(): void {
  title('Calibration: 150 episodes train, 450 others test');
  const train = labelledRows(
    generateDataset({ episodes: 150, streams: 'reference', seeds: 'disjoint', dataset_seed: 7 }),
    'z',
  );
  const test = labelledRows(
    generateDataset({ episodes: 450, streams: 'reference', seeds: 'disjoint', dataset_seed: 8 }),
    'z',
  );
  const raw = fitIrls(featuresOf(train), labelsOf(train), 1).model;
  const model = trainModel(train, 0);
  if (model === null) return;
  const scored = (name: string, score: (x: readonly number[]) => number) => ({
    name,
    scores: test.map((one) => score(one.features)),
  });
  const evaluations = evaluateScorers(
    [
      scored('raw', (x) => probability(raw, x)),
      scored(`calibrated (${model.calibrator.kind})`, (x) => successProbability(model, x)),
      scored('prior read as a probability', priorOfFeatures),
    ],
    labelsOf(test),
    test.map((one) => one.group),
    { seed: 0, resamples: 500 },
  );
  row([`${train.length} / ${test.length} rows`, 'ECE', 'Brier', 'log loss']);
  for (const one of evaluations) row([one.name, show(one.ece, 4), show(one.brier, 4), show(one.log_loss, 4)]);
}

const CONFIGURATIONS = 200;
const EVALUATION = { runs: 24, turns: 20, seed: 900_000 } as const;

/** Mean reduction of the failure rate by the first one, two and three attempts of each rule (06 F.7.5). */
function ranking(): void {
  title(`Ranking ${CONFIGURATIONS} random broken configurations: mean gain of the first attempts`);
  const plan = { streams: 'reference', seeds: 'disjoint' } as const;
  const model = trainModel(labelledRows(generateDataset({ ...plan, episodes: 60 }), 'paired'), 0);
  if (model === null) return;
  const rows = generateDataset({ ...plan, episodes: CONFIGURATIONS, dataset_seed: 99 });
  const configs = [...new Map(rows.map((one) => [one.episode, one.config])).values()];
  row(['attempts', 'severity', 'prior', 'learned P', 'EV', 'oracle']);
  for (const attempts of [1, 2, 3]) {
    const gains = rulesOf(model).map(
      (rule) =>
        configs.reduce((sum, config, i) => sum + gainOf(config, i, attempts, rule), 0) / configs.length,
    );
    row([String(attempts), ...gains.map((gain) => gain.toFixed(4))]);
  }
}

type Rule = (incident: Incident, gain: number) => number;

function rulesOf(model: TrainedModel): Rule[] {
  const features = incidentFeatures;
  return [
    (incident) => incident.final_score,
    (incident) => priorOfFeatures(features(incident)),
    (incident) => successProbability(model, features(incident)),
    (incident) => expectedValue(model, features(incident)),
    (_, gain) => gain,
  ];
}

/** Tries one fix per attempt, keeps it when it helps, and gives the total reduction of the failure rate. */
function gainOf(start: RunConfig, episode: number, attempts: number, rule: Rule): number {
  let config = start;
  const tried = new Set<string>();
  for (let attempt = 0; attempt < attempts; attempt++) {
    const events = simulate(config, {
      runs: 12,
      turns: 20,
      seed: 700_000 + 100 * episode,
      streams: 'reference',
    });
    const options = scoreIncidents(events).flatMap((incident) => {
      const [proposal] = proposeHeuristic(incident, { actions: DEFAULT_ACTIONS });
      const action = DEFAULT_ACTIONS.find((one) => one.action_id === proposal?.action_id);
      if (action === undefined || tried.has(action.action_id)) return [];
      const patch = patchOf(action, config);
      if (patch === null) return [];
      const after = { ...config, ...applyPatch(config, patch) };
      const gain = rateOf(config) - rateOf(after);
      return [{ action, after, gain, score: rule(incident, gain) }];
    });
    const best = options.sort((a, b) => b.score - a.score)[0];
    if (best === undefined) break;
    tried.add(best.action.action_id);
    if (best.gain > 0) config = best.after;
  }
  return rateOf(start) - rateOf(config);
}

const SESSIONS = 60;
const REPETITIONS = 20;

/** A fresh installation, one attempt per session: share of the gain that an oracle would have had (06 F.7.6). */
function coldStart(): void {
  title(
    `Cold start: ${SESSIONS} sessions of one attempt, ${REPETITIONS} repetitions: share of the oracle's gain`,
  );
  const totals = { random: 0, prior: 0, ours: 0, late: 0, oracle: 0, lateOracle: 0 };
  for (let repetition = 0; repetition < REPETITIONS; repetition++) {
    const plan = { streams: 'reference', seeds: 'disjoint', episodes: SESSIONS } as const;
    const sessions = bySession(generateDataset({ ...plan, dataset_seed: 1000 + repetition }));
    const random = new Mt19937(repetition);
    const prioritizer = new AdaptivePrioritizer({ now: () => 0 });
    for (const [i, rows] of sessions.entries()) {
      const gains = rows.map((one) => Math.max(0, one.gain ?? 0));
      const best = Math.max(...gains);
      const ours = chooseByPrioritizer(prioritizer, rows);
      totals.random += gains[random.below(rows.length)] ?? 0;
      totals.prior += gains[indexOfMost(rows.map((one) => priorOfFeatures(one.features)))] ?? 0;
      totals.ours += gains[ours] ?? 0;
      totals.oracle += best;
      if (i >= SESSIONS - 20) {
        totals.late += gains[ours] ?? 0;
        totals.lateOracle += best;
      }
    }
  }
  row(['', 'random', 'prior', 'ours', 'regret per late session']);
  const share = (gain: number) => (gain / totals.oracle).toFixed(3);
  const regret = (totals.lateOracle - totals.late) / (20 * REPETITIONS);
  row(['', share(totals.random), share(totals.prior), share(totals.ours), regret.toFixed(4)]);
}

function bySession(rows: readonly DatasetRow[]): DatasetRow[][] {
  const sessions = new Map<number, DatasetRow[]>();
  // As in the loop, an incident without a lever costs no attempt.
  for (const one of rows.filter(({ patch }) => patch !== null))
    sessions.set(one.episode, [...(sessions.get(one.episode) ?? []), one]);
  return [...sessions.values()];
}

/** What our prioritizer tries first; it is told the outcome. */
function chooseByPrioritizer(prioritizer: AdaptivePrioritizer, rows: readonly DatasetRow[]): number {
  const { ranked } = prioritizer.rank(
    rows.map((one) => one.incident),
    { costOf: () => 1, remaining: 1 },
  );
  const index = rows.findIndex((one) => one.incident === ranked[0]?.incident);
  const chosen = rows[index];
  if (chosen === undefined) return 0;
  const accepted = chosen.label_paired === 1;
  prioritizer.record({
    incident: chosen.incident,
    action_id: chosen.patch?.action_id ?? 'none',
    accepted,
    verdict: accepted ? 'accept' : 'rejected',
    n_pairs: 24,
    d_sum: 0,
    p_exact: chosen.p_exact ?? 1,
    log_e: 0,
    gain: chosen.gain ?? 0,
    gain_se: chosen.gain_se,
    config: chosen.config,
  });
  prioritizer.refit();
  return index;
}

function indexOfMost(values: readonly number[]): number {
  return values.indexOf(Math.max(...values));
}

const rates = new Map<string, number>();

function rateOf(config: RunConfig): number {
  const key = JSON.stringify(config);
  const known = rates.get(key);
  if (known !== undefined) return known;
  let failures = 0;
  for (let run = 0; run < EVALUATION.runs; run++) {
    failures += simulateMetrics(config, 'reference', EVALUATION.seed + run, EVALUATION.turns).failures;
  }
  const rate = failures / (3 * EVALUATION.runs * EVALUATION.turns);
  rates.set(key, rate);
  return rate;
}

function recorded(label: 'label' | 'labelPaired'): LabelledRow[] {
  return recordedRows().map((one) => ({
    features: one.features,
    label: one[label],
    gain: null,
    group: String(one.episode),
  }));
}

function part(rows: readonly LabelledRow[], seed: number): { train: LabelledRow[]; test: LabelledRow[] } {
  const groups = rows.map((one) => one.group);
  const split = splitByGroup(groups, 0.3, seed);
  const pick = (indices: readonly number[]) => indices.flatMap((i) => rows[i] ?? []);
  return { train: pick(split.train), test: pick(split.test) };
}

function show(figure: Figure, decimals: number): string {
  if (figure.value === null) return figure.reason;
  return `${figure.value.toFixed(decimals)} [${figure.low.toFixed(decimals)}, ${figure.high.toFixed(decimals)}]`;
}

function title(text: string): void {
  process.stdout.write(`\n${text}\n`);
}

function row([first = '', ...cells]: readonly string[]): void {
  process.stdout.write(`${first.padEnd(34)}${cells.map((cell) => cell.padEnd(28)).join('')}`.trimEnd());
  process.stdout.write('\n');
}
