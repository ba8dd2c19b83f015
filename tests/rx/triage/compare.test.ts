import { describe, expect, it } from 'vitest';
import { DEFAULT_CONFIG, simulate } from '../../../src/rx/simulator/simulate.js';
import type { TraceEvent } from '../../../src/rx/trace/event.js';
import { TraceTable } from '../../../src/rx/trace/trace-table.js';
import { countChange, describeChange, latencyChange, scoreChange } from '../../../src/rx/triage/change.js';
import { compareBatches } from '../../../src/rx/triage/compare.js';

function event(
  agent: string,
  turn: number,
  classification: string | null,
  patch: Partial<TraceEvent> = {},
): TraceEvent {
  return {
    event_id: '',
    run_id: 'r1',
    turn,
    agent_id: agent,
    tool_name: 'step',
    action_succeeded: false,
    divergence_fields: [],
    failure_classification: classification,
    latency_total_ms: 0,
    ...patch,
  };
}

const ok = (agent: string, turn: number, patch: Partial<TraceEvent> = {}) =>
  event(agent, turn, null, { action_succeeded: true, ...patch });
const turns = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

describe('the worked comparison (06 G.12)', () => {
  const look = { tool_name: 'look', divergence_fields: ['x'] };
  const before = TraceTable.from([
    ...turns(0, 5).map((turn) => event('a', turn, 'agent_error')),
    ok('a', 6),
    event('s', 0, 'information_lag', look),
    ok('s', 1),
  ]);
  const after = TraceTable.from([
    ...turns(0, 2).map((turn) => event('a', turn, 'agent_error')),
    ok('a', 3),
    event('z', 0, null, { tool_name: 'zap' }),
  ]);
  const comparison = compareBatches(before, after, 0);
  const of = (name: string) => comparison.classes.find((one) => one.classification === name);

  it('describes agent_error', () => {
    expect(of('agent_error')).toMatchObject({
      failures: { before: 6, after: 3, kind: 'down', percent: 50, tentative: false },
      unrecovered: { before: 3, after: 0, kind: 'resolved' },
      latency_before: 2,
      latency_after: 2,
      latency_change: 'stable',
    });
  });

  it('describes what went and what came', () => {
    expect(of('information_lag')?.failures).toMatchObject({
      before: 1,
      after: 0,
      kind: 'resolved',
      tentative: true,
    });
    expect(of('unclassified')?.failures).toMatchObject({ before: 0, after: 1, kind: 'new', tentative: true });
    expect(comparison.new_patterns.map((one) => one.pattern_id)).toEqual(['z-zap-unclassified-none']);
    expect(comparison.resolved_patterns.map((one) => one.pattern_id)).toEqual(['s-look-information_lag-x']);
    expect(comparison.persisting_patterns).toMatchObject([{ before: 6, after: 3 }]);
  });

  it('summarises both sides', () => {
    expect(comparison.before).toMatchObject({ patterns: 2, failure_events: 7, unrecovered_events: 3 });
    expect(comparison.after).toMatchObject({ patterns: 2, failure_events: 4, unrecovered_events: 1 });
    expect(comparison.before.top_score).toBeCloseTo(8.2, 9);
    expect(comparison.after.top_score).toBeCloseTo(8.2, 9);
    expect(comparison.before.mean_score).toBeCloseTo(5.9333, 4);
    expect(comparison.after.mean_score).toBeCloseTo(6.1167, 4);
    expect(comparison.top_score_change).toBe('stable');
  });

  it('does not judge a single run', () => {
    expect(comparison.rates.design).toMatchObject({
      kind: 'descriptive',
      reason: '1 pair to compare, 4 needed to test',
    });
    expect(comparison.rates.regression).toBe(false);
  });
});

describe('changes in words (06 D.5)', () => {
  it.each([
    [8, 9, 'up 12 %'],
    [6, 3, 'down 50 %'],
    [0, 0, 'stable'],
    [1000, 1001, 'stable'],
    [0, 2, 'new (tentative)'],
    [7, 0, 'resolved'],
  ])('%i → %i is %s', (before, after, expected) => {
    expect(describeChange(countChange(before, after))).toBe(expected);
  });

  it.each([
    [null, null, 'n/a'],
    [null, 1, 'new'],
    [1, null, 'no recoveries'],
    [1, 1.04, 'stable'],
    [1, 2.5, '+1.5'],
    [2, 1, '-1.0'],
  ])('a latency of %j → %j is %s', (before, after, expected) => {
    expect(latencyChange(before, after)).toBe(expected);
  });

  it('calls a score stable below 0.005', () => {
    expect(scoreChange(8, 8.004)).toBe('stable');
    expect(scoreChange(8, 7.5)).toBe('-0.50');
  });
});

describe('the judgement (06 F.6)', () => {
  const plan = { turns: 20, streams: 'independent' } as const;
  const broken = { ...DEFAULT_CONFIG, planner_consistency: 0.4 };
  const batch = (config: typeof DEFAULT_CONFIG, seed: number, runs = 12, prefix = '') =>
    TraceTable.from(
      simulate(config, { ...plan, seed, runs }).map((one) => ({ ...one, run_id: `${prefix}${one.run_id}` })),
    );
  const verdicts = (before: TraceTable, after: TraceTable) =>
    Object.fromEntries(compareBatches(before, after, 0).rates.tests.map((test) => [test.name, test.verdict]));

  it('pairs runs of the same name and sees a small harm in the class that has it', () => {
    const comparison = compareBatches(batch(DEFAULT_CONFIG, 1), batch(broken, 1), 0);
    expect(comparison.rates.design.kind).toBe('paired');
    expect(comparison.rates.regression).toBe(true);
    expect(verdicts(batch(DEFAULT_CONFIG, 1), batch(broken, 1))).toMatchObject({
      total: 'worse',
      coordination_failure: 'worse',
      agent_error: 'no evidence',
    });
  });

  it('permutes run labels when the runs differ', () => {
    const comparison = compareBatches(
      batch(broken, 1, 20, 'b'),
      batch({ ...broken, timeout_ms: 1600 }, 500, 20, 'a'),
      0,
    );
    expect(comparison.rates.design.kind).toBe('unpaired');
    expect(comparison.rates.tests.find((test) => test.name === 'information_lag')?.verdict).toBe('better');
    expect(comparison.rates.regression).toBe(false);
  });

  it('is not fooled by batches of different size', () => {
    const found = verdicts(batch(DEFAULT_CONFIG, 1, 5, 'b'), batch(DEFAULT_CONFIG, 700, 50, 'a'));
    expect(new Set(Object.values(found))).toEqual(new Set(['no evidence']));
  });

  it('accuses identical systems in at most 5 % of comparisons, total and classes together', () => {
    let accused = 0;
    const rounds = 150;
    for (let i = 0; i < rounds; i++) {
      const [before, after] = [
        batch(DEFAULT_CONFIG, 10_000 + 40 * i, 5, 'b'),
        batch(DEFAULT_CONFIG, 90_000 + 40 * i, 6, 'a'),
      ];
      if (compareBatches(before, after, i).rates.regression) accused += 1;
    }
    expect(accused / rounds).toBeLessThanOrEqual(0.05 + 2 * Math.sqrt((0.05 * 0.95) / rounds));
  });

  it('gives the same answer for the same seed', () => {
    const [before, after] = [batch(DEFAULT_CONFIG, 1, 12, 'b'), batch(DEFAULT_CONFIG, 700, 12, 'a')];
    expect(compareBatches(before, after, 3)).toEqual(compareBatches(before, after, 3));
  });
});
