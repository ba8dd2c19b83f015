/** Planning news, no faults: nothing to investigate (spec 07 B1). */
export const SKIPPED_SYMPTOMS: readonly string[] = [
  'deadline_imminent',
  'deadline_warning',
  'deadline_hard_cutoff',
  'budget_burn_no_gain',
  'budget_strategy_drift',
  'phase_budget_nearly_exhausted',
  'gain_plateau',
  'no_levers_found',
  'amdahl_kernel_ceiling_low',
  'cold_start_budget_exhausted',
  'agent_quiet_work_progressing',
];
