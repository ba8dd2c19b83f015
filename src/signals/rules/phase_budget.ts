import { pythonNumber } from '../../foreign/python-text.js';
import type { PhaseBudgetRow } from '../../reactor/context.js';
import { defineRule } from '../rule.js';

/** Printed percentages may be rounded to whole numbers. */
const ROUNDING = 0.5;

/** The time cap of the current phase (spec 03 §11). */
export const phaseBudget = defineRule({
  name: 'phase_budget',
  configSlot: 'phase_budget',
  needs: [],
  config: {
    phase_budget_warn_used_pct: {
      type: 'number',
      default: 90,
      unit: '%',
      signed: true,
      doc: 'Used share of the phase cap from which the phase should be closed out.',
    },
  },
  symptoms: {
    phase_budget_nearly_exhausted: {
      severities: ['medium'],
      subjectKeys: [],
      nature: 'state',
      meaning: 'The current phase used nearly all of its time cap.',
      action: 'Close the phase out, or ask for a phase change.',
    },
  },
  evaluate({ context, config }) {
    const { phase, phase_budget: rows, shared_state: shared } = context;
    if (shared.closing_phase || shared.stop_reason !== '' || phase === '') return { symptoms: [] };
    const row = rows.find((candidate) => candidate.phase === phase);
    if (!row || row.cap_sec < 0) return { symptoms: [] };
    if (usedPercent(row) < config.phase_budget_warn_used_pct) return { symptoms: [] };
    return {
      symptoms: [
        {
          name: 'phase_budget_nearly_exhausted',
          severity: 'medium',
          summary:
            `Phase ${phase} used ${pythonNumber(row.used_pct)} % of its time: ` +
            `${row.elapsed_sec} s of ${row.cap_sec} s`,
          evidence: {
            phase,
            elapsed_sec: row.elapsed_sec,
            cap_sec: row.cap_sec,
            used_pct: row.used_pct,
          },
          subject: {},
          source: 'shared_state',
          suggestion: `Close ${phase} out, or ask for a phase change.`,
          cooldownSubject: { phase },
        },
      ],
    };
  },
});

/** The exact quotient where the printed percentage can be its rounding, else the printed one (spec 03 phase_budget-2). */
function usedPercent(row: PhaseBudgetRow): number {
  if (row.cap_sec <= 0) return row.used_pct;
  const exact = (100 * row.elapsed_sec) / row.cap_sec;
  return Math.abs(exact - row.used_pct) <= ROUNDING ? exact : row.used_pct;
}
