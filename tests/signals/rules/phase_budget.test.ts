import { expect, it } from 'vitest';
import { phaseBudget } from '../../../src/signals/rules/phase_budget.js';
import { cooldownKey, symptomKey } from '../../../src/signals/symptom.js';
import { runRule, testRule } from '../../support/rule-tester.js';

const row = (phase: string, elapsed_sec: number, cap_sec: number, used_pct: number) => ({
  phase,
  elapsed_sec,
  cap_sec,
  used_pct,
});
const inPhase = (phase: string, ...phase_budget: ReturnType<typeof row>[]) => ({
  context: { phase, phase_budget },
});

testRule(phaseBudget, {
  valid: [
    { why: 'nothing is known of any phase' },
    { why: 'no phase is current', ...inPhase('', row('', 600, 600, 100)) },
    { why: 'another phase is exhausted', ...inPhase('EXPLORE', row('SWEEP', 600, 600, 100)) },
    { why: 'just below the limit', ...inPhase('EXPLORE', row('EXPLORE', 539, 600, 89.9)) },
    { why: 'a phase without cap', ...inPhase('EXPLORE', row('EXPLORE', 540, -1, 150)) },
    {
      why: 'only the first row of a phase counts',
      ...inPhase('EXPLORE', row('EXPLORE', 6, 600, 1), row('EXPLORE', 599, 600, 99)),
    },
    {
      why: 'a percentage that was rounded up is not yet the limit (phase_budget-2)',
      ...inPhase('EXPLORE', row('EXPLORE', 896, 1000, 90)),
    },
    {
      why: 'a closing session is leaving the phase anyway',
      context: {
        phase: 'EXPLORE',
        phase_budget: [row('EXPLORE', 600, 600, 100)],
        shared_state: { closing_phase: true },
      },
    },
    {
      why: 'a stopped session is over',
      context: {
        phase: 'EXPLORE',
        phase_budget: [row('EXPLORE', 600, 600, 100)],
        shared_state: { stop_reason: 'x' },
      },
    },
  ],
  invalid: [
    {
      why: 'exactly at the limit',
      ...inPhase('EXPLORE', row('EXPLORE', 540, 600, 90)),
      symptoms: [
        {
          name: 'phase_budget_nearly_exhausted',
          severity: 'medium',
          subject: {},
          source: 'shared_state',
          evidence: { phase: 'EXPLORE', elapsed_sec: 540, cap_sec: 600, used_pct: 90 },
          summaryMentions: ['EXPLORE', '90', '540', '600'],
        },
      ],
    },
    {
      why: 'a percentage that was rounded down is over the limit (phase_budget-2)',
      ...inPhase('EXPLORE', row('EXPLORE', 9004, 10_000, 90)),
      config: { phase_budget_warn_used_pct: 90.03 },
      symptoms: [{ name: 'phase_budget_nearly_exhausted', evidenceWith: { used_pct: 90 } }],
    },
    {
      why: 'a percentage that is no rounding of the quotient is taken at its word',
      ...inPhase('EXPLORE', row('EXPLORE', 100, 600, 95)),
      symptoms: ['phase_budget_nearly_exhausted'],
    },
    {
      why: 'a cap of 0 s is used up at once',
      ...inPhase('EXPLORE', row('EXPLORE', 5, 0, 100)),
      symptoms: ['phase_budget_nearly_exhausted'],
    },
    {
      why: 'far above the cap it is still one warning',
      ...inPhase('EXPLORE', row('EXPLORE', 900, 600, 150)),
      symptoms: ['phase_budget_nearly_exhausted'],
    },
  ],
});

it('each phase has a cooldown of its own, with an unchanged wire subject (phase_budget-1)', () => {
  const [explore] = runRule(phaseBudget, inPhase('EXPLORE', row('EXPLORE', 540, 600, 90))).symptoms;
  if (!explore) throw new Error('nothing was reported');
  expect(symptomKey(explore)).toBe('phase_budget_nearly_exhausted');
  expect(cooldownKey(explore)).toBe('phase_budget_nearly_exhausted\u001fphase=EXPLORE');
});
