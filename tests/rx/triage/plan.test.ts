import { describe, expect, it } from 'vitest';
import { DEFAULT_ACTIONS } from '../../../src/rx/actions/catalogue.js';
import { ReferencePrioritizer } from '../../../src/rx/learner/reference-prioritizer.js';
import { loadTraces } from '../../../src/rx/trace/load.js';
import { TraceTable } from '../../../src/rx/trace/trace-table.js';
import { planOf } from '../../../src/rx/triage/plan.js';

const { table } = await loadTraces(['tests/fixtures/rx/trace-seed.ndjson']);

describe('planOf', () => {
  it('plans the recorded trace (06 C.4)', () => {
    const plan = planOf(table, new ReferencePrioritizer(), DEFAULT_ACTIONS, 5);
    expect(plan).toMatchObject({ events: 720, patterns: 4, runs: 12, regime: 'heuristic' });
    expect(plan.incidents.map((one) => one.action_id)).toEqual([
      'add_navigator_retry',
      'raise_planner_consistency',
      'raise_timeout',
      null,
    ]);
    expect(plan.incidents[3]?.no_action).toBe('belongs to the environment: no knob removes it');
  });

  it('keeps the first of the ranking', () => {
    expect(planOf(table, new ReferencePrioritizer(), DEFAULT_ACTIONS, 2).incidents).toHaveLength(2);
  });

  it('says that an unknown class is unmapped, not that it heals', () => {
    const weird = TraceTable.from([
      {
        event_id: '',
        run_id: 'r',
        turn: 0,
        agent_id: 'a',
        tool_name: 't',
        action_succeeded: false,
        divergence_fields: [],
        failure_classification: 'weird',
        latency_total_ms: 0,
      },
    ]);
    const [incident] = planOf(weird, new ReferencePrioritizer(), DEFAULT_ACTIONS, 5).incidents;
    expect(incident?.no_action).toBe('no action of the catalogue is meant for weird');
  });
});
