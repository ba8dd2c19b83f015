import type { JsonObject } from '../../../src/foreign/json.js';
import { decisionAudit } from '../../../src/signals/rules/decision_audit.js';
import { type Sight, testRule } from '../../support/rule-tester.js';

const sound = {
  kernel_id: 'k1',
  decision: 'KEEP',
  gain_pct: 5,
  patch_path: '/p/x.diff',
  patch_size_bytes: 10,
  dispatched_count: 3,
  result_path: '/s/runs/integrate/t1/result.json',
  mtime: 9000,
};

const ciComplete = {
  baseline_tok_per_gpu: 1000,
  framework: 'sglang',
  gain_pct: 8,
  gpu: 'mi300x',
  model: 'm',
  optimized_tok_per_gpu: 1080,
  tp: 4,
};

const withoutTp = Object.fromEntries(Object.entries(ciComplete).filter(([key]) => key !== 'tp'));

const REQUIRED = [
  'baseline_tok_per_gpu',
  'framework',
  'gain_pct',
  'gpu',
  'model',
  'optimized_tok_per_gpu',
  'tp',
];

function entries(...changes: readonly JsonObject[]): Sight {
  return {
    snapshot: {
      local_decision_audit: { recent_integrate: changes.map((change) => ({ ...sound, ...change })) },
    },
  };
}

function ci(change: JsonObject, rest: JsonObject = {}): Sight {
  return {
    snapshot: {
      local_decision_audit: {
        ci_metrics: { ...ciComplete, ...change },
        ci_metrics_path: '/s/ci_metrics.json',
        ...rest,
      },
    },
  };
}

const dubious = { gain_pct: 0.1, dispatched_count: null };

testRule(decisionAudit, {
  valid: [
    { why: 'a sound KEEP', ...entries({}) },
    { why: 'nothing was looked at', snapshot: { local_decision_audit: [] } },
    {
      why: 'entries that are no objects',
      snapshot: { local_decision_audit: { recent_integrate: [null, 5] } },
    },
    { why: 'a gain exactly at the threshold', ...entries({ gain_pct: 1 }) },
    { why: 'decisions are exact words', ...entries({ decision: 'keep', patch_size_bytes: 0 }) },
    {
      why: 'a REVERT may have whatever it has',
      ...entries({ decision: 'REVERT', patch_size_bytes: 0, gain_pct: -9 }),
    },
    { why: 'an unknown patch size is no empty patch', ...entries({ patch_size_bytes: null }) },
    { why: 'a size that is no integer is unknown', ...entries({ patch_size_bytes: false }) },
    {
      why: 'no count and a gain exactly at the epsilon',
      ...entries({ gain_pct: 1, dispatched_count: null }),
      config: { decision_audit_dispatch_bypass_epsilon_pct: 1 },
    },
    { why: 'a count below zero means something else', ...entries({ dispatched_count: -1 }) },
    {
      why: 'a KEEP without a gain: unknown is no evidence',
      ...entries({ gain_pct: null, dispatched_count: null }),
    },
    { why: 'a gain as text is unknown', ...entries({ gain_pct: '0.1', dispatched_count: null }) },
    {
      why: 'whether the patch exists is unknown',
      ...entries({ patch_size_bytes: null, patch_exists: null }),
    },
    {
      why: 'a missing patch of a PARTIAL',
      ...entries({ decision: 'PARTIAL', patch_size_bytes: null, patch_exists: false }),
    },
    {
      why: 'a missing patch without a path',
      ...entries({ patch_path: ' ', patch_size_bytes: null, patch_exists: false }),
    },
    { why: 'complete CI metrics', ...ci({}) },
    {
      why: 'an optimised kernel that gained',
      ...ci({ kernels_optimized: 1, optimized_kernel_delta_pct: 0.1 }),
    },
    { why: 'no kernel was optimised', ...ci({ kernels_optimized: 0, optimized_kernel_delta_pct: -3 }) },
    {
      why: 'how many kernels is unknown',
      ...ci({ kernels_optimized: 'many', optimized_kernel_delta_pct: -3 }),
    },
    { why: 'what they gained is unknown', ...ci({ kernels_optimized: 2, optimized_kernel_delta_pct: null }) },
    { why: 'a declared baseline failure', ...ci({ baseline_tok_per_gpu: 0, status: 'baseline_failed' }) },
    { why: 'a baseline of true is no number, and no key is missing', ...ci({ baseline_tok_per_gpu: true }) },
    { why: 'CI metrics that are no object', snapshot: { local_decision_audit: { ci_metrics: [1] } } },
  ],
  invalid: [
    {
      why: 'an empty patch was kept',
      ...entries({ patch_size_bytes: 0 }),
      symptoms: [
        {
          name: 'empty_patch_kept',
          severity: 'high',
          subject: { kernel_id: 'k1', patch_path: '/p/x.diff' },
          source: 'local',
          evidence: {
            kernel_id: 'k1',
            decision: 'KEEP',
            gain_pct: 5,
            patch_path: '/p/x.diff',
            patch_size_bytes: 0,
            result_path: '/s/runs/integrate/t1/result.json',
            entries_matched: 1,
          },
          summaryMentions: ['KEEP', 'k1', '0 bytes'],
          suggestionMentions: ['Revert', 'empty patch'],
        },
      ],
    },
    {
      why: 'a PARTIAL is asked for its patch only; without names it is unknown',
      ...entries({ decision: 'PARTIAL', kernel_id: '', patch_path: '', patch_size_bytes: 0, gain_pct: 0.1 }),
      symptoms: [{ name: 'empty_patch_kept', subject: { kernel_id: 'unknown', patch_path: '' } }],
    },
    {
      why: 'the patch of a KEEP is not where it should be',
      ...entries({ patch_size_bytes: null, patch_exists: false }),
      symptoms: [
        {
          name: 'empty_patch_kept',
          severity: 'medium',
          evidenceWith: { patch_size_bytes: null, patch_missing: true },
          summaryMentions: ['does not exist'],
        },
      ],
    },
    {
      why: 'a patch without a path is empty all the same',
      ...entries({ patch_path: null, patch_size_bytes: 0 }),
      symptoms: [{ name: 'empty_patch_kept', subject: { kernel_id: 'k1', patch_path: '' } }],
    },
    {
      why: 'of two entries with one patch the more severe is shown',
      ...entries({ patch_size_bytes: null, patch_exists: false }, { patch_size_bytes: -1, mtime: 1 }),
      symptoms: [
        {
          name: 'empty_patch_kept',
          severity: 'high',
          evidenceWith: { patch_size_bytes: -1, entries_matched: 2 },
          evidenceWithout: ['patch_missing'],
        },
      ],
    },
    {
      why: 'a gain below the threshold',
      ...entries({ gain_pct: 0.99 }),
      symptoms: [
        {
          name: 'decision_threshold_violated',
          severity: 'medium',
          subject: { kernel_id: 'k1' },
          evidence: {
            kernel_id: 'k1',
            gain_pct: 0.99,
            min_keep_gain_pct: 1,
            result_path: '/s/runs/integrate/t1/result.json',
            entries_matched: 1,
          },
          summaryMentions: ['k1', '0.99%', '1%'],
        },
      ],
    },
    { why: 'a negative gain', ...entries({ gain_pct: -3 }), symptoms: ['decision_threshold_violated'] },
    {
      why: 'no count, and the gain is exactly the epsilon: only the threshold',
      ...entries({ gain_pct: 0.5, dispatched_count: null }),
      symptoms: ['decision_threshold_violated'],
    },
    {
      why: 'no count, and before and after are the same',
      ...entries({ gain_pct: 0.49, dispatched_count: null }),
      symptoms: [
        'decision_threshold_violated',
        {
          name: 'kernel_dispatch_bypassed',
          severity: 'high',
          evidenceWith: { dispatched_count: null, dispatch_bypass_pre_post_epsilon_pct: 0.5 },
          summaryMentions: ['without a dispatch count', '0.49%', '0.5%'],
        },
      ],
    },
    {
      why: 'counted zero dispatches: the gain does not matter',
      ...entries({ gain_pct: null, dispatched_count: 0 }),
      symptoms: [
        {
          name: 'kernel_dispatch_bypassed',
          evidenceWith: { gain_pct: null, dispatched_count: 0 },
          summaryMentions: ['0 dispatches'],
        },
      ],
    },
    {
      why: 'all three at once, in this order',
      ...entries({ patch_size_bytes: 0, gain_pct: 0.1, dispatched_count: 0 }),
      symptoms: ['empty_patch_kept', 'decision_threshold_violated', 'kernel_dispatch_bypassed'],
    },
    {
      why: 'two entries of one kernel are one symptom of the newest, and say so',
      ...entries({ gain_pct: 0.7 }, { gain_pct: 0.6, result_path: '/s/old.json', mtime: 1 }),
      symptoms: [
        { name: 'decision_threshold_violated', evidenceWith: { gain_pct: 0.7, entries_matched: 2 } },
      ],
    },
    {
      why: 'kernels that count as optimised made it no faster',
      ...ci({ kernels_optimized: 1, optimized_kernel_delta_pct: 0 }),
      symptoms: [
        {
          name: 'kernel_negative_delta_kept',
          severity: 'high',
          subject: {},
          evidence: {
            kernels_optimized: 1,
            optimized_kernel_delta_pct: 0,
            ci_metrics_path: '/s/ci_metrics.json',
          },
        },
      ],
    },
    {
      why: 'a baseline of zero that nobody declared',
      ...ci({ baseline_tok_per_gpu: 0 }),
      symptoms: [
        {
          name: 'ci_metrics_baseline_zero',
          severity: 'high',
          evidence: { ci_metrics_path: '/s/ci_metrics.json', baseline_values: [0], status: null },
          suggestionMentions: ['baseline_failed'],
        },
      ],
    },
    {
      why: 'one positive baseline is a baseline, in a retired key',
      ...ci({ baseline_tok_per_gpu: 0, baseline_tput: 5 }),
      symptoms: [
        {
          name: 'ci_metrics_schema_drift',
          severity: 'medium',
          evidenceWith: { legacy_fields: ['baseline_tput'], missing: [], required: REQUIRED },
          summaryMentions: ['The CI metrics still use baseline_tput'],
        },
      ],
    },
    {
      why: 'all baselines at or below zero, in key order',
      ...ci({ baseline_throughput: 0, baseline_tput: -1, baseline_tok_per_gpu: 0 }),
      symptoms: [
        { name: 'ci_metrics_baseline_zero', evidenceWith: { baseline_values: [0, -1, 0] } },
        'ci_metrics_schema_drift',
      ],
    },
    {
      why: 'required keys are missing, and the path is not known',
      snapshot: {
        local_decision_audit: {
          ci_metrics: { ...withoutTp, optimized_throughput: 3 },
          ci_metrics_path: null,
        },
      },
      symptoms: [
        {
          name: 'ci_metrics_schema_drift',
          evidenceWith: { ci_metrics_path: '', legacy_fields: ['optimized_throughput'] },
          summaryMentions: ['The CI metrics lack tp and still use optimized_throughput'],
        },
      ],
    },
  ],
  sequences: [
    {
      why: 'an artefact is said once, and stands as long as it is there',
      steps: [
        { ...entries(dubious), symptoms: ['decision_threshold_violated', 'kernel_dispatch_bypassed'] },
        {
          ...entries(dubious),
          symptoms: [
            { name: 'decision_threshold_violated', standing: true },
            { name: 'kernel_dispatch_bypassed', standing: true },
          ],
        },
        { ...entries({}), symptoms: [] },
      ],
    },
    {
      why: 'what the ladder muted is said again, each symptom on its own',
      steps: [
        {
          ...entries(dubious),
          isSettled: ({ name }) => name === 'kernel_dispatch_bypassed',
          symptoms: ['decision_threshold_violated', 'kernel_dispatch_bypassed'],
        },
        {
          ...entries(dubious),
          symptoms: ['decision_threshold_violated', { name: 'kernel_dispatch_bypassed', standing: true }],
          stateWith: {
            reported: [
              ['kernel_dispatch_bypassed\u001fkernel_id=k1', '/s/runs/integrate/t1/result.json', 9000],
              ['decision_threshold_violated\u001fkernel_id=k1', '/s/runs/integrate/t1/result.json', 9000],
            ],
          },
        },
      ],
    },
    {
      why: 'a rewritten artefact is news',
      steps: [
        { ...entries({ gain_pct: 0.7 }), symptoms: ['decision_threshold_violated'] },
        {
          ...entries({ gain_pct: 0.7, mtime: 9500 }),
          symptoms: [{ name: 'decision_threshold_violated', evidenceWith: { entries_matched: 1 } }],
        },
      ],
    },
    {
      why: 'a new entry beside a reported one of the same kernel is shown, wherever it stands',
      steps: [
        { ...entries({ gain_pct: 0.7 }), symptoms: ['decision_threshold_violated'] },
        {
          ...entries({ gain_pct: 0.7 }, { gain_pct: 0.6, result_path: '/s/new.json' }),
          symptoms: [
            { name: 'decision_threshold_violated', evidenceWith: { gain_pct: 0.6, entries_matched: 2 } },
          ],
        },
      ],
    },
    {
      why: 'all entries behind a key are said with it',
      steps: [
        {
          ...entries({ gain_pct: 0.7 }, { gain_pct: 0.6, result_path: '/s/old.json' }),
          symptoms: ['decision_threshold_violated'],
        },
        {
          ...entries({ gain_pct: 0.6, result_path: '/s/old.json' }),
          symptoms: [{ name: 'decision_threshold_violated', standing: true }],
        },
      ],
    },
    {
      why: 'an artefact without a time cannot be recognised, so it is never latched',
      steps: [
        { ...entries({ gain_pct: 0.7, mtime: null }), symptoms: ['decision_threshold_violated'] },
        {
          ...entries({ gain_pct: 0.7, mtime: null }),
          symptoms: [{ name: 'decision_threshold_violated', evidenceWith: { gain_pct: 0.7 } }],
        },
      ],
    },
    {
      why: 'nor is one without a path',
      steps: [
        { ...entries({ gain_pct: 0.7, result_path: '' }), symptoms: ['decision_threshold_violated'] },
        { ...entries({ gain_pct: 0.7, result_path: '' }), symptoms: ['decision_threshold_violated'] },
      ],
    },
    {
      why: 'CI metrics are latched by their own time',
      steps: [
        {
          ...ci({ baseline_tok_per_gpu: 0 }, { ci_metrics_mtime: 50 }),
          symptoms: ['ci_metrics_baseline_zero'],
        },
        {
          ...ci({ baseline_tok_per_gpu: 0 }, { ci_metrics_mtime: 50 }),
          symptoms: [{ name: 'ci_metrics_baseline_zero', standing: true }],
        },
        {
          ...ci({ baseline_tok_per_gpu: 0 }, { ci_metrics_mtime: 51 }),
          symptoms: ['ci_metrics_baseline_zero'],
        },
      ],
    },
    {
      why: 'a damaged memory is no memory',
      state: { reported: [null, ['x'], [1, 2, 3], 'text'] },
      steps: [{ ...entries({ gain_pct: 0.7 }), symptoms: ['decision_threshold_violated'] }],
    },
    {
      why: 'the memory is bounded',
      state: { reported: Array.from({ length: 300 }, (_, i) => [`k${i}`, '/p', i]) },
      steps: [
        {
          ...entries({ gain_pct: 0.7 }),
          symptoms: ['decision_threshold_violated'],
          stateWith: { reported: { length: 256 } },
        },
      ],
    },
  ],
});
