import { budget } from '../../../src/signals/rules/budget.js';
import { testRule } from '../../support/rule-tester.js';

const clock = (
  elapsed_minutes: number,
  remaining_minutes: number,
  budget_minutes: number,
  gain = 0,
  more: object = {},
) => ({
  context: {
    shared_state: {
      elapsed_minutes,
      remaining_minutes,
      budget_minutes,
      cumulative_gain_validated: gain,
      ...more,
    },
  },
});
/** Half of six hours is gone, the first of them with loading and measuring; as our own collectors look. */
const afterPreparation = (elapsed: number, prelude: number, snapshot: object = { collectors: {} }) => ({
  context: {
    ...clock(elapsed, 360 - elapsed, 360).context,
    phase_budget: [
      { phase: 'PRELUDE', elapsed_sec: prelude * 60, cap_sec: -1, used_pct: 0 },
      { phase: 'EXPLORE', elapsed_sec: (elapsed - prelude) * 60, cap_sec: -1, used_pct: 0 },
    ],
  },
  snapshot,
});
const ABSOLUTE = { budget_deadline_warning_share: 0, budget_deadline_hard_cutoff_share: 0 };

testRule(budget, {
  valid: [
    { why: 'a session without wall-clock budget has no deadline', ...clock(0, 0, 0) },
    {
      why: 'a session without budget is no division by zero',
      ...clock(10, 0, 0),
      config: { budget_min_minutes: 0 },
    },
    { why: 'a budget below the minimum is not judged', ...clock(25, 4.99, 29.99) },
    { why: 'nothing has been used yet', ...clock(0, 360, 360) },
    { why: 'closing sessions are already reporting', ...clock(355, 5, 360, 0, { closing_phase: true }) },
    { why: 'a stopped session is over (budget-2)', ...clock(355, 5, 360, 0, { stop_reason: 'done' }) },
    { why: 'less than half of the budget is used', ...clock(179.9, 180.1, 360) },
    {
      why: 'half of the budget is used, but of the time for searching only two fifths',
      ...afterPreparation(180, 60),
    },
    { why: 'a productive run may use its budget', ...clock(306, 54, 360, 0.5) },
    { why: 'just more than the warning limit is left', ...clock(329.99, 30.01, 360, 1) },
    {
      why: 'a short run is not near its deadline from the first minute on (budget-1)',
      ...clock(0.1, 29.9, 30),
    },
    { why: 'a quarter of a short budget is left, with gain (budget-1)', ...clock(22.4, 7.6, 30, 1) },
  ],
  invalid: [
    {
      why: 'half of the budget is used',
      ...clock(180, 180, 360),
      symptoms: [
        {
          name: 'budget_strategy_drift',
          severity: 'medium',
          subject: {},
          source: 'local',
          evidence: {
            elapsed_minutes: 180,
            remaining_minutes: 180,
            budget_minutes: 360,
            cumulative_gain_validated: 0,
            burn_pct: 0.5,
            strategy_drift_pct: 0.5,
            warn_pct: 0.7,
          },
        },
      ],
    },
    {
      why: 'half of the time for searching is used',
      ...afterPreparation(210, 60),
      symptoms: [{ name: 'budget_strategy_drift', severity: 'medium', evidenceWith: { burn_pct: 0.583 } }],
    },
    {
      why: 'a preparation that still goes on is no excuse',
      ...afterPreparation(180, 180),
      symptoms: ['budget_strategy_drift'],
    },
    {
      why: 'what is left decides about the later limits, however long the preparation took',
      ...afterPreparation(252, 150),
      symptoms: ['budget_burn_no_gain'],
    },
    {
      why: 'a recording of other sources is judged by the whole budget',
      ...afterPreparation(180, 60, {}),
      symptoms: ['budget_strategy_drift'],
    },
    {
      why: 'the unrounded share decides, the rounded one is shown',
      ...clock(305.9, 54.1, 360),
      symptoms: [
        { name: 'budget_burn_no_gain', severity: 'medium', evidenceWith: { burn_pct: 0.85, warn_pct: 0.7 } },
      ],
    },
    {
      why: 'most of the budget is used',
      ...clock(306, 54, 360, 0.49),
      symptoms: [
        { name: 'deadline_imminent', severity: 'high', evidenceWith: { burn_pct: 0.85, imminent_pct: 0.85 } },
      ],
    },
    {
      why: 'near the deadline with gain',
      ...clock(330, 30, 360, 0.5),
      symptoms: [
        {
          name: 'deadline_warning',
          severity: 'medium',
          evidenceWith: { deadline_warning_minutes: 30, productive_gain_pct: 0.5 },
          suggestionMentions: ['no kernel_opt'],
        },
      ],
    },
    {
      why: 'near the deadline without gain: both axes, minutes first',
      ...clock(330, 30, 360),
      symptoms: [
        { name: 'deadline_warning', severity: 'high' },
        { name: 'deadline_imminent', severity: 'high' },
      ],
    },
    {
      why: 'at the cutoff only the report can finish',
      ...clock(355, 5, 360, 3),
      symptoms: [
        { name: 'deadline_hard_cutoff', severity: 'high', evidenceWith: { deadline_hard_cutoff_minutes: 5 } },
      ],
    },
    {
      why: 'just before the cutoff it is a warning',
      ...clock(354.99, 5.01, 360, 3),
      symptoms: ['deadline_warning'],
    },
    {
      why: 'a negative rest is beyond the cutoff',
      ...clock(370, -10, 360, 3),
      symptoms: ['deadline_hard_cutoff'],
    },
    {
      why: 'a negative gain is no gain',
      ...clock(252, 108, 360, -3),
      symptoms: [{ name: 'budget_burn_no_gain', evidenceWith: { burn_pct: 0.7 } }],
    },
    {
      why: 'the evidence of a short run shows the limit in force (budget-1)',
      ...clock(22.5, 7.5, 30, 1),
      symptoms: [{ name: 'deadline_warning', evidenceWith: { deadline_warning_minutes: 7.5 } }],
    },
    {
      why: 'the cutoff of a short run is a tenth of it (budget-1)',
      ...clock(27, 3, 30, 1),
      symptoms: [{ name: 'deadline_hard_cutoff', evidenceWith: { deadline_hard_cutoff_minutes: 3 } }],
    },
    {
      why: 'with the shares off the minutes alone decide (reference profile)',
      ...clock(0.1, 29.9, 30),
      config: ABSOLUTE,
      symptoms: [
        { name: 'deadline_warning', severity: 'high', evidenceWith: { deadline_warning_minutes: 30 } },
      ],
    },
    {
      why: 'an odd share is rounded to three decimals',
      ...clock(123.4, 76.6, 200),
      symptoms: [{ name: 'budget_strategy_drift', evidenceWith: { burn_pct: 0.617 } }],
    },
  ],
});
