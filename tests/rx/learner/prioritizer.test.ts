import { describe, expect, it } from 'vitest';
import type { Incident } from '../../../src/rx/incidents/incident.js';
import { scoreIncidents } from '../../../src/rx/incidents/score.js';
import { AdaptivePrioritizer } from '../../../src/rx/learner/adaptive-prioritizer.js';
import { generateDataset, labelledRows } from '../../../src/rx/learner/dataset.js';
import type { OutcomeRow } from '../../../src/rx/learner/outcome-row.js';
import { orderWithinBudget } from '../../../src/rx/learner/ranking.js';
import { ReferencePrioritizer } from '../../../src/rx/learner/reference-prioritizer.js';
import { trainModel } from '../../../src/rx/learner/trained-model.js';
import { loadTraces } from '../../../src/rx/trace/load.js';
import type { AttemptOutcome } from '../../../src/rx/types.js';
import { recordedRows } from './training-set.js';

const incidents = scoreIncidents((await loadTraces(['tests/fixtures/rx/trace-seed.ndjson'])).table);
const anyBudget = { costOf: () => 1, remaining: 8 };

function outcome(accepted: boolean, index = 0): AttemptOutcome<Incident> {
  const incident = incidents[index % incidents.length];
  if (incident === undefined) throw new Error('no incident');
  return {
    incident,
    action_id: 'add_navigator_retry',
    accepted,
    verdict: accepted ? 'accept' : 'rejected',
    n_pairs: 12,
    d_sum: 30,
    p_exact: 0.001,
    log_e: 6,
    gain: accepted ? 0.1 : 0,
    gain_se: 0.01,
    config: { navigator_retries: 0 },
  };
}

describe('ReferencePrioritizer', () => {
  it('ranks the recorded trace as the reference does without labels (06 C.4)', () => {
    const { ranked, regime } = new ReferencePrioritizer().rank(incidents);
    expect(regime).toBe('heuristic');
    expect(
      ranked.map((one) => [one.incident.failure_classification, Number(one.priority.toFixed(9))]),
    ).toEqual([
      ['agent_error', 0.655073529],
      ['coordination_failure', 0.55804902],
      ['information_lag', 0.341162854],
      ['environment_constraint', 0.323583056],
    ]);
  });

  it('ranks it as the primed reference does', () => {
    const rows = recordedRows().map((row) => ({ ...row, gain: null, group: String(row.episode) }));
    const { ranked, regime } = new ReferencePrioritizer(rows).rank(incidents);
    expect(regime).toBe('learned');
    const found = ranked.map((one) => [
      one.incident.agent_id,
      one.incident.failure_classification,
      one.priority,
    ]);
    const expected = [
      ['planner', 'coordination_failure', 0.9984182961],
      ['navigator', 'agent_error', 0.9868572178],
      ['scout', 'information_lag', 0.9248214477],
      ['navigator', 'environment_constraint', 0.0068020504],
    ];
    expect(found.map(([agent, name, p]) => [agent, name, Number(Number(p).toFixed(10))])).toEqual(expected);
  });

  it('turns to the model with the twelfth label of both classes, not before', () => {
    const prioritizer = new ReferencePrioritizer();
    for (let i = 0; i < 11; i++) prioritizer.record(outcome(i % 2 === 0, i));
    prioritizer.refit();
    expect(prioritizer.regime()).toBe('heuristic');
    prioritizer.record(outcome(true));
    prioritizer.refit();
    expect(prioritizer.regime()).toBe('learned');
  });

  it('stays with the prior while every label is the same', () => {
    const prioritizer = new ReferencePrioritizer();
    for (let i = 0; i < 30; i++) prioritizer.record(outcome(true, i));
    prioritizer.refit();
    expect(prioritizer.regime()).toBe('heuristic');
    expect(prioritizer.metrics()).toEqual({ n: 30 });
  });
});

describe('AdaptivePrioritizer', () => {
  const model = trainModel(
    labelledRows(generateDataset({ episodes: 30, streams: 'reference', seeds: 'disjoint' }), 'paired'),
    0,
  );

  it('starts with the prior and explores from the twelfth outcome on', () => {
    const prioritizer = new AdaptivePrioritizer({ now: () => 0 });
    for (let i = 0; i < 11; i++) prioritizer.record(outcome(true, i));
    expect(prioritizer.rank(incidents, anyBudget).regime).toBe('heuristic');
    prioritizer.record(outcome(false));
    prioritizer.refit();
    expect(prioritizer.rank(incidents, anyBudget).regime).toBe('explore');
  });

  it('ranks by expected value with a model, the hopeless class last', () => {
    const { ranked, regime } = new AdaptivePrioritizer({ model, now: () => 0 }).rank(incidents, anyBudget);
    expect(regime).toBe('learned');
    expect(ranked.at(-1)?.incident.failure_classification).toBe('environment_constraint');
    expect(ranked[0]?.priority).toBeLessThan(0.5);
  });

  it('fits a model of its own from 60 outcomes of both classes', () => {
    const prioritizer = new AdaptivePrioritizer({ now: () => 0 });
    for (let i = 0; i < 59; i++) prioritizer.record(outcome(i % 4 !== 3, i));
    prioritizer.refit();
    expect(prioritizer.regime()).toBe('explore');
    prioritizer.record(outcome(true));
    prioritizer.refit();
    expect(prioritizer.regime()).toBe('learned');
  });

  it('ignores outcomes of another feature schema and says why a model is missing', () => {
    const rows: OutcomeRow[] = [];
    const source = new AdaptivePrioritizer({ now: () => 7, onOutcome: (row) => rows.push(row) });
    for (let i = 0; i < 20; i++) source.record(outcome(true, i));
    expect(rows[0]).toMatchObject({ timestamp_unix: 7, source: 'loop', label: 1, propensity: 1 });
    const foreign = rows.map((row) => ({ ...row, feature_schema_version: 'trace-0' }));
    const prioritizer = new AdaptivePrioritizer({
      outcomes: foreign,
      model_problem: 'model is damaged',
      now: () => 0,
    });
    expect(prioritizer.rank(incidents, anyBudget)).toMatchObject({
      regime: 'heuristic',
      reason: '0 known outcomes, 12 needed to learn from them; model is damaged',
    });
  });
});

describe('orderWithinBudget', () => {
  const ranked = [
    { incident: 'dear', priority: 0.12 },
    { incident: 'cheap', priority: 0.06 },
    { incident: 'cheaper', priority: 0.05 },
  ];
  const costOf = (name: string) => (name === 'dear' ? 3 : 1);
  const order = (budget: number) => orderWithinBudget(ranked, costOf, budget).map((one) => one.incident);

  it('keeps the ranking when all cost the same', () => {
    expect(orderWithinBudget(ranked, () => 2, 1)).toEqual(ranked);
  });

  it('takes the dear fix when it is worth more than what else the budget buys', () => {
    expect(order(3)[0]).toBe('dear');
  });

  it('combines within a larger budget, the best value per cost first', () => {
    expect(order(4)).toEqual(['cheap', 'dear', 'cheaper']);
  });

  it('leaves out what the budget cannot pay', () => {
    expect(order(2)).toEqual(['cheap', 'cheaper', 'dear']);
  });
});
