import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scoreIncidents } from '../../../src/rx/incidents/score.js';
import { trendOf } from '../../../src/rx/incidents/trend.js';
import { incidentFeatures } from '../../../src/rx/learner/features.js';
import type { TraceEvent } from '../../../src/rx/trace/event.js';
import { loadTraces } from '../../../src/rx/trace/load.js';

function event(patch: Partial<TraceEvent>): TraceEvent {
  return {
    event_id: '',
    run_id: 'r1',
    turn: 0,
    agent_id: 'a',
    tool_name: 't',
    action_succeeded: false,
    divergence_fields: [],
    failure_classification: null,
    latency_total_ms: 0,
    ...patch,
  };
}

const success = (patch: Partial<TraceEvent>) => event({ action_succeeded: true, ...patch });

describe('scoreIncidents', () => {
  it('scores the worked group (06 G.2)', () => {
    const failed = { failure_classification: 'agent_error' };
    const incidents = scoreIncidents([
      event({ turn: 0, ...failed }),
      event({ turn: 1, ...failed }),
      success({ turn: 2 }),
      event({ run_id: 'r2', turn: 0, ...failed }),
      success({ run_id: 'r2', turn: 4 }),
    ]);
    expect(incidents).toHaveLength(1);
    expect(incidents[0]).toMatchObject({
      pattern_id: 'a-t-agent_error-none',
      display_name: '[a] t / agent_error / no-divergence',
      frequency: 3,
      frequency_score: 10,
      recovery_rate: 2 / 3,
      severity_score: 7,
      confidence: 0.6,
      confidence_label: 'medium',
      median_recovery_latency: 1.5,
      runs_seen_in: 2,
      runs_total: 2,
      trend: 'insufficient data',
    });
    expect(incidents[0]?.final_score).toBeCloseTo(8.2, 12);
  });

  it('scores an unclassified failure that recovers (06 G.3)', () => {
    const [incident] = scoreIncidents([event({ turn: 0 }), success({ turn: 1 })]);
    expect(incident).toMatchObject({ severity_score: 3, confidence: 0.2, confidence_label: 'low' });
    expect(incident?.final_score).toBeCloseTo(5.8, 12);
  });

  it('counts a success with a classification as failure and as recovery', () => {
    const alone = scoreIncidents([success({ failure_classification: 'information_lag' })]);
    expect(alone[0]).toMatchObject({ recovery_rate: 0, severity_score: 7.5, median_recovery_latency: null });
    const earlier = scoreIncidents([
      event({ turn: 0 }),
      success({ turn: 1, failure_classification: 'information_lag' }),
    ]);
    expect(earlier.find((one) => one.failure_classification === 'unclassified')?.recovery_rate).toBe(1);
  });

  it('scores the worked pair (06 G.4)', () => {
    const stale = {
      agent_id: 'planner',
      failure_classification: 'coordination_failure',
      divergence_fields: ['target'],
    };
    const incidents = scoreIncidents([
      event({ turn: 2, ...stale }),
      event({ turn: 3, ...stale }),
      success({ turn: 5, agent_id: 'planner' }),
      event({ agent_id: 'q', failure_classification: 'weird' }),
    ]);
    expect(incidents.map((one) => [one.agent_id, one.frequency, Number(one.final_score.toFixed(9))])).toEqual(
      [
        ['planner', 2, 10],
        ['q', 1, 4.7],
      ],
    );
    expect(incidents[0]?.median_recovery_latency).toBe(2.5);
    expect(incidents[1]?.severity_score).toBe(4.5);
  });

  it('does not take a success of the same turn, another agent or another run for a recovery', () => {
    const others = [
      success({ turn: 0 }),
      success({ turn: 1, agent_id: 'b' }),
      success({ turn: 1, run_id: 'r2' }),
    ];
    expect(scoreIncidents([event({ turn: 0 }), ...others])[0]?.recovery_rate).toBe(0);
  });

  it('finds the recovery when turns arrive out of order', () => {
    expect(scoreIncidents([success({ turn: 3 }), event({ turn: 1 })])[0]?.median_recovery_latency).toBe(2);
  });

  it.each([
    [10, 0],
    [11, 1],
  ])('with the next success after %i turns has a tail of %i (06 G.10)', (turn, tail) => {
    expect(scoreIncidents([event({}), success({ turn })])[0]?.unrecovered_tail_count).toBe(tail);
  });

  it('groups divergence fields as a set, and tells sets apart that look alike', () => {
    const one = (divergence_fields: string[]) => event({ divergence_fields });
    expect(scoreIncidents([one(['a', 'b']), one(['b', 'a'])])).toHaveLength(1);
    const alike = scoreIncidents([one(['a', 'b']), one(['a+b'])]);
    expect(new Set(alike.map((incident) => incident.pattern_id)).size).toBe(1);
    expect(new Set(alike.map((incident) => incident.key_hash)).size).toBe(2);
  });

  it('tells names with separators apart', () => {
    const alike = scoreIncidents([
      event({ agent_id: 'a-b', tool_name: 'c' }),
      event({ agent_id: 'a', tool_name: 'b-c' }),
    ]);
    expect(alike).toHaveLength(2);
  });

  it('keeps ties in order of first appearance', () => {
    const names = ['z', 'm', 'a'];
    const incidents = scoreIncidents(names.map((agent_id) => event({ agent_id })));
    expect(incidents.map((one) => one.agent_id)).toEqual(names);
  });

  it('equals the reference on the recorded trace, as doubles', async () => {
    const metrics: unknown = JSON.parse(readFileSync('tests/fixtures/rx/metrics.json', 'utf8'));
    const { table } = await loadTraces(['tests/fixtures/rx/trace-seed.ndjson']);
    const found = scoreIncidents(table).map((one) => ({
      pattern_id: one.pattern_id,
      frequency: one.frequency,
      frequency_score: one.frequency_score,
      severity_score: one.severity_score,
      recovery_rate: one.recovery_rate,
      final_score: one.final_score,
      confidence: one.confidence,
      median_recovery_latency: one.median_recovery_latency,
      runs_seen_in: one.runs_seen_in,
      runs_total: one.runs_total,
      features: incidentFeatures(one),
    }));
    expect(metrics).toMatchObject({ trace_default: { incidents: found } });
  });

  it('agrees with the quadratic definition of recovery', () => {
    const some = fc.record({
      turn: fc.integer({ min: 0, max: 12 }),
      agent_id: fc.constantFrom('a', 'b'),
      run_id: fc.constantFrom('r1', 'r2'),
      action_succeeded: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(some, { maxLength: 40 }), (patches) => {
        const events = patches.map((patch) => event(patch));
        const total = scoreIncidents(events).reduce((sum, one) => sum + one.recovery_rate * one.frequency, 0);
        expect(total).toBeCloseTo(events.filter((one) => recovers(one, events)).length, 9);
      }),
    );
  });
});

function recovers(failure: TraceEvent, events: readonly TraceEvent[]): boolean {
  if (failure.action_succeeded) return false;
  return events.some(
    (one) =>
      one.action_succeeded &&
      one.run_id === failure.run_id &&
      one.agent_id === failure.agent_id &&
      one.turn > failure.turn &&
      one.turn <= failure.turn + 3,
  );
}

describe('trendOf (06 G.9)', () => {
  it.each([
    [[1, 1], 'insufficient data'],
    [[0, 1, 1], 'new'],
    [[1, 0, 0], 'resolved'],
    [[10, 13, 13], 'increasing'],
    [[10, 10, 7, 7], 'decreasing'],
    [[10, 10, 10, 10, 10, 13], 'stable'],
    [[3, 3, 3, 4, 4, 4], 'increasing'],
    [[5, 0, 0, 0, 0, 0, 0], 'stable'],
  ])('of %j is %s', (perRun, expected) => {
    expect(trendOf(perRun)).toBe(expected);
  });
});
