import { expect, it } from 'vitest';
import { classify } from '../../../src/signals/classify.js';
import { defineRule } from '../../../src/signals/rule.js';
import { selfHealth } from '../../../src/signals/rules/self_health.js';
import type { CollectorReport, Snapshot } from '../../../src/sources/snapshot.js';
import { contextOf, type Step, snapshotOf, testRule } from '../../support/rule-tester.js';

function reports(
  collectors: Readonly<Record<string, Partial<CollectorReport>>>,
  tick = 0,
): Pick<Step, 'snapshot' | 'context'> {
  const full = Object.entries(collectors).map(([name, report]): [string, CollectorReport] => [
    name,
    { status: 'ok', reason: '', ms: 1, detail: '', ...report },
  ]);
  const snapshot: Partial<Snapshot> = { collectors: Object.fromEntries(full) };
  return { snapshot, context: { shared_state: { tick } } };
}

const timeout = { status: 'timeout', reason: 'deadline', detail: 'amd-smi did not answer' } as const;
const broken = { rule: 'stall', errorClass: 'TypeError', message: 'm'.repeat(300) };
const degraded = 'collector_degraded';

testRule(selfHealth, {
  valid: [
    { why: 'nothing reports', snapshot: {} },
    {
      why: 'all is well',
      ...reports({ gpu: {}, ray: { status: 'empty' }, fd: { status: 'skipped', reason: 'disabled' } }),
    },
    { why: 'one slow look', ...reports({ gpu: timeout }), stateWith: { streaks: { gpu: 1 } } },
  ],
  invalid: [
    {
      why: 'a rule failed',
      failedRules: [broken],
      symptoms: [
        {
          name: 'rule_failed',
          severity: 'low',
          subject: { rule: 'stall' },
          evidence: { rule: 'stall', error: 'TypeError', message: 'm'.repeat(200) },
          summaryMentions: ['stall', 'TypeError'],
        },
      ],
    },
  ],
  sequences: [
    {
      why: 'a failure is said once per rule and error',
      steps: [
        { failedRules: [broken], symptoms: ['rule_failed'] },
        { failedRules: [broken], symptoms: [{ name: 'rule_failed', standing: true }] },
        { symptoms: [] },
        { failedRules: [{ ...broken, errorClass: 'RangeError' }], symptoms: ['rule_failed'] },
        {
          failedRules: [broken, { ...broken, rule: 'crash' }],
          symptoms: [{ name: 'rule_failed', standing: true }, 'rule_failed'],
        },
      ],
    },
    {
      why: 'a failure that was muted is said later',
      steps: [
        { failedRules: [broken], isSettled: () => false, symptoms: ['rule_failed'] },
        { failedRules: [broken], symptoms: ['rule_failed'] },
      ],
    },
    {
      why: 'a collector that gives no answer three times in a row, and as long as it lasts',
      steps: [
        { ...reports({ gpu: timeout }), symptoms: [] },
        { ...reports({ gpu: { status: 'error', reason: 'bad_output' } }), symptoms: [] },
        {
          ...reports({ gpu: timeout, ray: timeout }),
          symptoms: [
            {
              name: degraded,
              severity: 'low',
              subject: { collector: 'gpu' },
              evidence: {
                collector: 'gpu',
                status: 'timeout',
                detail: 'amd-smi did not answer',
                evaluations: 3,
              },
              summaryMentions: ['gpu', '3 evaluations', '(timeout: amd-smi did not answer)'],
              suggestionMentions: ['doctor'],
            },
          ],
        },
        { ...reports({ gpu: timeout }), symptoms: [degraded] },
        { ...reports({ gpu: {} }), symptoms: [], stateWith: { streaks: {} } },
        { ...reports({ gpu: timeout }), symptoms: [] },
      ],
    },
    {
      why: 'a host without the tool, or out of our sight, is no trouble of ours',
      steps: Array.from({ length: 4 }, () => ({
        ...reports({
          gpu: { status: 'unknown', reason: 'not_on_path' },
          state: { status: 'unknown', reason: 'other_host' },
        }),
        symptoms: [],
      })),
    },
    {
      why: 'what may not be read is',
      steps: [1, 2, 3].map((step) => ({
        ...reports({ fd: { status: 'unknown', reason: 'permission' } }),
        symptoms: step === 3 ? [degraded] : [],
      })),
    },
    {
      why: 'a repeated tick is not counted twice',
      steps: [
        { ...reports({ gpu: timeout }, 1), symptoms: [] },
        { ...reports({ gpu: timeout }, 2), symptoms: [] },
        { ...reports({ gpu: timeout }, 2), symptoms: [] },
        { ...reports({ gpu: timeout }, 3), symptoms: [degraded] },
        { ...reports({ gpu: timeout }, 3), symptoms: [degraded] },
      ],
    },
    {
      why: 'a damaged slot is empty',
      state: { failed: [null, ['x'], [1, 2]], streaks: [9], last_tick: {} },
      steps: [{ failedRules: [broken], ...reports({ gpu: timeout }), symptoms: ['rule_failed'] }],
    },
  ],
});

it('sees a rule fail in the same evaluation', () => {
  const broken = defineRule({
    name: 'broken',
    configSlot: 'broken',
    needs: [],
    symptoms: {},
    config: {},
    evaluate() {
      throw new RangeError('out of everything');
    },
  });
  const { symptoms, failures } = classify(
    { context: contextOf(), snapshot: snapshotOf(), config: {}, loadSlot: () => ({}) },
    { rules: [broken, selfHealth] },
  );
  expect(failures).toEqual([{ rule: 'broken', errorClass: 'RangeError', message: 'out of everything' }]);
  expect(symptoms.map(({ name, subject }) => [name, subject])).toEqual([['rule_failed', { rule: 'broken' }]]);
});
