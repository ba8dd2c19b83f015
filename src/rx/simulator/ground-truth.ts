/** Which knob cures which class of the simulator (06 A.3); environment_constraint has none. */
export const GROUND_TRUTH: ReadonlyMap<string, string> = new Map([
  ['coordination_failure', 'planner_consistency'],
  ['agent_error', 'navigator_retries'],
  ['information_lag', 'timeout_ms'],
]);
