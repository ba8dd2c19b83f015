import { targetsIncident } from '../actions/catalogue.js';
import type { Incident } from '../incidents/incident.js';
import { percent } from '../report/format.js';
import type { ActionSpec, Proposal, ProposeContext } from '../types.js';

/** Every catalogue action that is meant for the incident, in catalogue order; none for an unmapped one (spec 06 B.4). */
export function proposeHeuristic(incident: Incident, context: Pick<ProposeContext, 'actions'>): Proposal[] {
  return context.actions
    .filter((action) => targetsIncident(action, incident))
    .map((action) => ({
      action_id: action.action_id,
      rationale: rationaleOf(incident, action),
      source: 'heuristic',
    }));
}

function rationaleOf(incident: Incident, action: ActionSpec): string {
  const what = `${incident.failure_classification} of ${incident.agent_id} in ${incident.tool_name}`;
  const how = `${percent(incident.recovery_rate)} of ${incident.frequency} recovered`;
  return `${what}: ${how}. ${action.description}`;
}
