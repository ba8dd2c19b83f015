/** Classes of root causes, a closed list (spec 08 §21). */
export const CAUSE_CLASSES = [
  'resource_leak',
  'no_progress_loop',
  'infeasible_config',
  'server_error',
  'critic_outage',
  'kernel_pipeline_starvation',
  'bad_decision',
  'budget_exhaustion',
  'state_corruption',
  'dependency_outage',
  'agent_stall',
  'crash_loop',
  'insufficient_evidence',
] as const;

export type CauseClass = (typeof CAUSE_CLASSES)[number];

/** The class of that name, in any case; undefined for a word that is none. */
export function causeClassOf(word: string): CauseClass | undefined {
  const lower = word.toLowerCase();
  return CAUSE_CLASSES.find((known) => known === lower);
}
