import { INERT_ACTION_ID } from '../actions/catalogue.js';
import type { Incident } from '../incidents/incident.js';
import { scoreIncidents } from '../incidents/score.js';
import { proposeHeuristic } from '../proposer/heuristic.js';
import { failureRate } from '../trace/event.js';
import type { TraceTable } from '../trace/trace-table.js';
import type { ActionSpec, Prioritizer, Regime } from '../types.js';

/** A ranked incident with what is recommended for it. */
export interface PlannedIncident extends Incident {
  readonly rank: number;
  readonly priority: number;
  /** Null: nothing in the catalogue helps; `no_action` says why. */
  readonly action_id: string | null;
  readonly rationale: string | null;
  readonly no_action: string | null;
}

/** What is worth fixing in a batch of traces, unverified (spec 06 C.4). */
export interface Plan {
  readonly events: number;
  readonly runs: number;
  readonly patterns: number;
  readonly failure_rate: number;
  readonly regime: Regime;
  readonly regime_reason: string;
  readonly incidents: readonly PlannedIncident[];
}

/** Scores, ranks and recommends; runs no experiment. */
export function planOf(
  table: TraceTable,
  prioritizer: Prioritizer<Incident>,
  actions: readonly ActionSpec[],
  top: number,
): Plan {
  const incidents = scoreIncidents(table);
  const ranking = prioritizer.rank(incidents, { costOf: () => 1, remaining: incidents.length });
  return {
    events: table.size,
    runs: table.runs.length,
    patterns: incidents.length,
    failure_rate: failureRate(table.failures, table.size),
    regime: ranking.regime,
    regime_reason: ranking.reason,
    incidents: ranking.ranked.slice(0, top).map(({ incident, priority }, i) => ({
      ...incident,
      rank: i + 1,
      priority,
      ...recommend(incident, actions),
    })),
  };
}

function recommend(
  incident: Incident,
  actions: readonly ActionSpec[],
): Pick<PlannedIncident, 'action_id' | 'rationale' | 'no_action'> {
  const proposals = proposeHeuristic(incident, { actions });
  const useful = proposals.find((proposal) => proposal.action_id !== INERT_ACTION_ID);
  if (useful !== undefined)
    return { action_id: useful.action_id, rationale: useful.rationale, no_action: null };
  const no_action =
    proposals.length > 0
      ? 'belongs to the environment: no knob removes it'
      : `no action of the catalogue is meant for ${incident.failure_classification}`;
  return { action_id: null, rationale: null, no_action };
}
