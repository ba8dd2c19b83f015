import type { LabWorld } from './world/world.js';

/** Minutes before its deadline from which a session may be reminded of it; of a short budget the last quarter. */
const LATE_MINUTES = 30;
const LATE_SHARE = 0.25;
const NEARLY_ALL = 0.885;

/** Symptoms that tell the time and accuse nobody, as far as they are true of this world: no run is wrong for saying them. */
export function timeTruths({ coordinator: facts, now }: LabWorld): string[] {
  const truths: string[] = [];
  const row = facts.phases.find(({ phase }) => phase === facts.phase);
  if (row !== undefined && row.capS > 0 && row.elapsedS / row.capS >= NEARLY_ALL) {
    truths.push('phase_budget_nearly_exhausted');
  }
  if (facts.budgetMinutes > 0) {
    const left = facts.budgetMinutes - (now - facts.startedAt) / 60;
    if (left <= Math.min(LATE_MINUTES, LATE_SHARE * facts.budgetMinutes) + 0.1) {
      truths.push('deadline_warning', 'deadline_hard_cutoff');
    }
  }
  return truths;
}
