import type { ConfigFields, ConfigValues } from '../../foreign/config-field.js';
import { roundHalfEven } from '../../foreign/round.js';
import type { ReactorContext, SharedState } from '../../reactor/context.js';
import type { Snapshot } from '../../sources/snapshot.js';
import { defineRule, type Explanation } from '../rule.js';
import type { Severity, Symptom } from '../symptom.js';

const fields = {
  budget_min_minutes: {
    type: 'number',
    default: 30,
    unit: 'min',
    doc: 'Runs with a smaller wall-clock budget are not judged.',
  },
  budget_strategy_drift_pct: {
    type: 'number',
    default: 0.5,
    unit: 'share',
    maximum: 1,
    doc: 'Share of the budget used without gain from which the scope should narrow.',
  },
  budget_warn_pct: {
    type: 'number',
    default: 0.7,
    unit: 'share',
    maximum: 1,
    doc: 'Share of the budget used without gain from which to validate and report.',
  },
  budget_imminent_pct: {
    type: 'number',
    default: 0.85,
    unit: 'share',
    maximum: 1,
    doc: 'Share of the budget used without gain from which the deadline is imminent.',
  },
  budget_deadline_warning_minutes: {
    type: 'number',
    default: 30,
    unit: 'min',
    doc: 'Minutes left from which no long work should start.',
  },
  budget_deadline_hard_cutoff_minutes: {
    type: 'number',
    default: 5,
    unit: 'min',
    doc: 'Minutes left from which only the report can still finish.',
  },
  budget_deadline_warning_share: {
    type: 'number',
    default: 0.25,
    unit: 'share',
    maximum: 1,
    doc: 'Upper bound of the warning limit as a share of the budget, for short runs; 0 = off.',
  },
  budget_deadline_hard_cutoff_share: {
    type: 'number',
    default: 0.1,
    unit: 'share',
    maximum: 1,
    doc: 'Upper bound of the cutoff limit as a share of the budget, for short runs; 0 = off.',
  },
  budget_productive_gain_pct: {
    type: 'number',
    default: 0.5,
    unit: '% gain',
    doc: 'Validated gain from which a run counts as productive.',
  },
} as const satisfies ConfigFields;

type BudgetConfig = ConfigValues<typeof fields>;

/** The phase before any search (spec 01 §2.3). */
const PREPARATION = 'PRELUDE';

/** What no longer matters once the deadline decides (spec 04 §13 row 16). */
export const LATE_BUSINESS = [
  'deadline_imminent',
  'budget_burn_no_gain',
  'budget_strategy_drift',
  'phase_budget_nearly_exhausted',
  'gain_plateau',
  'no_levers_found',
] as const;

const WARNING_EXPLAINS: readonly Explanation[] = [{ row: 16, explains: LATE_BUSINESS }];
const CUTOFF_EXPLAINS: readonly Explanation[] = [
  { row: 16, explains: [...LATE_BUSINESS, 'cold_start_budget_exhausted'] },
];

/** Wall clock left, and wall clock used without validated gain (spec 03 §10). */
export const budget = defineRule({
  name: 'budget',
  configSlot: 'budget',
  needs: [],
  config: fields,
  symptoms: {
    deadline_hard_cutoff: {
      severities: ['high'],
      subjectKeys: [],
      nature: 'state',
      meaning: 'So little time is left that work started now will not finish.',
      action: 'Report right away.',
      explains: CUTOFF_EXPLAINS,
    },
    deadline_warning: {
      severities: ['medium', 'high'],
      subjectKeys: [],
      nature: 'state',
      meaning: 'The deadline is near; urgent when there is no validated gain yet.',
      action: 'Start no kernel work and no new exploration; validate the stack and report.',
      explains: WARNING_EXPLAINS,
    },
    deadline_imminent: {
      severities: ['high'],
      subjectKeys: [],
      nature: 'state',
      meaning: 'Most of the budget is used and nothing has been gained.',
      action: 'Report at the last validated gain.',
    },
    budget_burn_no_gain: {
      severities: ['medium'],
      subjectKeys: [],
      nature: 'state',
      meaning: 'Much of the budget is used and nothing has been gained.',
      action: 'Switch from exploring to validating and reporting.',
    },
    budget_strategy_drift: {
      severities: ['medium'],
      subjectKeys: [],
      nature: 'state',
      meaning: 'A good part of the budget is used and the cheap actions do not pay off.',
      action: 'Narrow the scope to params and sweep before the next limit.',
    },
  },
  evaluate({ context, snapshot, config }) {
    const shared = context.shared_state;
    if (shared.budget_minutes <= 0 || shared.budget_minutes < config.budget_min_minutes)
      return { symptoms: [] };
    if (shared.elapsed_minutes <= 0 || shared.closing_phase || shared.stop_reason !== '')
      return { symptoms: [] };
    const preparing = preparationMinutes(context, snapshot);
    const found = [minutesLeft(shared, config), shareUsed(shared, preparing, config)];
    return { symptoms: found.filter((symptom) => symptom !== undefined) };
  },
});

/** The absolute axis: minutes left. */
function minutesLeft(shared: SharedState, config: BudgetConfig): Symptom | undefined {
  const left = shared.remaining_minutes;
  const cutoff = effectiveLimit(
    config.budget_deadline_hard_cutoff_minutes,
    config.budget_deadline_hard_cutoff_share,
    shared.budget_minutes,
  );
  if (left <= cutoff) {
    return symptomOf('deadline_hard_cutoff', 'high', shared, {
      summary: `${minutes(left)} left (limit ${minutes(cutoff)}): finalise now`,
      suggestion: 'Report right away: work that starts now will not finish.',
      evidence: { deadline_hard_cutoff_minutes: cutoff },
    });
  }
  const warning = effectiveLimit(
    config.budget_deadline_warning_minutes,
    config.budget_deadline_warning_share,
    shared.budget_minutes,
  );
  if (left > warning) return undefined;
  const isProductive = shared.cumulative_gain_validated >= config.budget_productive_gain_pct;
  const gain = isProductive ? `gain ${shared.cumulative_gain_validated} %` : 'no validated gain yet';
  return symptomOf('deadline_warning', isProductive ? 'medium' : 'high', shared, {
    summary: `${minutes(left)} left (limit ${minutes(warning)}), ${gain}`,
    suggestion: isProductive
      ? 'Start no kernel_opt and no new explore; only validate the stack and report.'
      : 'Report at the last validated gain.',
    evidence: {
      deadline_warning_minutes: warning,
      productive_gain_pct: config.budget_productive_gain_pct,
    },
  });
}

/** The relative axis: share of the budget used, as long as nothing was gained. */
function shareUsed(shared: SharedState, preparing: number, config: BudgetConfig): Symptom | undefined {
  if (shared.cumulative_gain_validated >= config.budget_productive_gain_pct) return undefined;
  const burn = shared.elapsed_minutes / shared.budget_minutes;
  const burnPct = roundHalfEven(burn, 3);
  const gain = `validated gain ${shared.cumulative_gain_validated} %`;
  const used = `${roundHalfEven(burn * 100, 1)} % of the budget used`;
  if (burn >= config.budget_imminent_pct) {
    return symptomOf('deadline_imminent', 'high', shared, {
      summary: `${used} (${minutes(shared.elapsed_minutes)} of ${minutes(shared.budget_minutes)}), ${gain}`,
      suggestion: 'Report at the last validated gain.',
      evidence: {
        burn_pct: burnPct,
        imminent_pct: config.budget_imminent_pct,
        productive_gain_pct: config.budget_productive_gain_pct,
      },
    });
  }
  if (burn >= config.budget_warn_pct) {
    return symptomOf('budget_burn_no_gain', 'medium', shared, {
      summary: `${used}, ${gain}`,
      suggestion: 'Switch from exploring to validating and reporting.',
      evidence: { burn_pct: burnPct, warn_pct: config.budget_warn_pct },
    });
  }
  if (searchShare(shared, preparing) >= config.budget_strategy_drift_pct) {
    return symptomOf('budget_strategy_drift', 'medium', shared, {
      summary: `${used}, ${gain}: the cheap actions are not paying off`,
      suggestion: 'Have orchestration narrow the scope to params and sweep ahead of the warning limit.',
      evidence: {
        burn_pct: burnPct,
        strategy_drift_pct: config.budget_strategy_drift_pct,
        warn_pct: config.budget_warn_pct,
      },
    });
  }
  return undefined;
}

/**
 * Minutes in which nothing could be gained yet, because the model was loaded and measured; 0 where the prompt has no phase
 * history, and for snapshots that no collector of ours took (spec 03 G-13).
 */
function preparationMinutes({ phase_budget: rows }: ReactorContext, snapshot: Snapshot): number {
  if (snapshot.collectors === undefined) return 0;
  const row = rows.find(({ phase }) => phase === PREPARATION);
  return row === undefined ? 0 : row.elapsed_sec / 60;
}

/** Share of the time for searching that is gone; of the whole budget when the preparation is longer than what has passed. */
function searchShare(
  { elapsed_minutes: elapsed, budget_minutes: all }: SharedState,
  preparing: number,
): number {
  return preparing < elapsed ? (elapsed - preparing) / (all - preparing) : elapsed / all;
}

/** An absolute limit, lowered to a share of a short budget (spec 03 budget-1). */
function effectiveLimit(limit: number, share: number, budgetMinutes: number): number {
  return share > 0 ? Math.min(limit, share * budgetMinutes) : limit;
}

function symptomOf(
  name: string,
  severity: Severity,
  shared: SharedState,
  rest: Pick<Symptom, 'summary' | 'suggestion' | 'evidence'>,
): Symptom {
  return {
    name,
    severity,
    subject: {},
    source: 'local',
    ...rest,
    evidence: {
      elapsed_minutes: shared.elapsed_minutes,
      remaining_minutes: shared.remaining_minutes,
      budget_minutes: shared.budget_minutes,
      cumulative_gain_validated: shared.cumulative_gain_validated,
      ...rest.evidence,
    },
  };
}

function minutes(value: number): string {
  return `${roundHalfEven(value, 1)} min`;
}
