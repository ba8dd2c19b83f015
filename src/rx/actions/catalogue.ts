import { DEFAULT_CONFIG } from '../simulator/simulate.js';
import type { ActionSpec, Catalogue } from '../types.js';

/** The reference's actions in its order (06 B.3). */
export const DEFAULT_ACTIONS: readonly ActionSpec[] = [
  {
    action_id: 'raise_planner_consistency',
    targets: ['coordination_failure'],
    knob: 'planner_consistency',
    op: 'add',
    value: 0.35,
    max: 0.95,
    round_decimals: 3,
    description: 'Raise planner_consistency by 0.35, to 0.95 at most, so that plans stay in step.',
  },
  {
    action_id: 'add_navigator_retry',
    targets: ['agent_error'],
    knob: 'navigator_retries',
    op: 'add',
    value: 1,
    min: 1,
    description: 'Give the navigator one more retry, at least one, so that a fault is cleared at once.',
  },
  {
    action_id: 'raise_timeout',
    targets: ['information_lag'],
    knob: 'timeout_ms',
    op: 'multiply',
    value: 2,
    max: 3000,
    description: 'Double timeout_ms, to 3000 ms at most, so that observations arrive before they are stale.',
  },
  {
    action_id: 'acknowledge_environment',
    targets: ['environment_constraint'],
    knob: 'friction_rate',
    op: 'add',
    value: 0,
    description:
      'Leave friction_rate as it is: this noise belongs to the environment and no knob removes it.',
  },
];

/** What `rx run` uses without `--catalogue`. */
export const DEFAULT_CATALOGUE: Catalogue = { config: DEFAULT_CONFIG, actions: DEFAULT_ACTIONS };

/** The action that means "nothing to do", never a recommendation (06 C.4). */
export const INERT_ACTION_ID = 'acknowledge_environment';

/** Whether an action is meant for an incident: its targets name the classification or the pattern. */
export function targetsIncident(
  action: ActionSpec,
  incident: { readonly failure_classification: string; readonly pattern_id: string },
): boolean {
  return action.targets.some(
    (target) => target === incident.failure_classification || target === incident.pattern_id,
  );
}
