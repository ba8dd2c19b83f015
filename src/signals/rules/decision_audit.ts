import { objectOr } from '../../foreign/json.js';
import type { Snapshot } from '../../sources/snapshot.js';
import { defineRule } from '../rule.js';
import { sameSubject } from '../shared/explain.js';
import { newlySettled, standing } from '../shared/latch.js';
import { symptomKey } from '../symptom.js';
import { ciFindings } from './decision_audit/ci-metrics.js';
import { type Finding, foldEntries, integrateFindings } from './decision_audit/integrate-entries.js';
import { parseReports, wasReported, withReports } from './decision_audit/reported.js';

const sameKernel = sameSubject('kernel_id');

/** When integrate decisions or the CI metrics do not hold up after the fact (spec 04 §2). */
export const decisionAudit = defineRule({
  name: 'decision_audit',
  configSlot: 'decision_audit',
  needs: ['audit'],
  symptoms: {
    empty_patch_kept: {
      severities: ['medium', 'high'],
      subjectKeys: ['kernel_id', 'patch_path'],
      nature: 'latched',
      meaning: 'A kernel was kept although its patch is empty (high) or its file is gone (medium).',
      action: 'Revert the decision and record that an empty patch is never acceptable.',
      explains: [
        { row: 17, explains: ['kernel_dispatch_bypassed', 'decision_threshold_violated'], when: sameKernel },
      ],
    },
    decision_threshold_violated: {
      severities: ['medium'],
      subjectKeys: ['kernel_id'],
      nature: 'latched',
      meaning: 'A kernel was kept with a smaller gain than keeping needs.',
      action: 'Raise the keep threshold to at least 1% and ask for several seeds below it.',
    },
    kernel_dispatch_bypassed: {
      severities: ['high'],
      subjectKeys: ['kernel_id'],
      nature: 'latched',
      meaning: 'A kernel was kept that, as far as can be seen, never ran.',
      action: 'Revert this KEEP and ask for profiler evidence of at least one dispatch before the next one.',
      explains: [{ row: 17, explains: ['decision_threshold_violated'], when: sameKernel }],
    },
    kernel_negative_delta_kept: {
      severities: ['high'],
      subjectKeys: [],
      nature: 'latched',
      meaning: 'The CI metrics count optimised kernels whose total effect is zero or negative.',
      action: 'Roll the kernels back, and count kept and reverted kernels separately.',
    },
    ci_metrics_baseline_zero: {
      severities: ['high'],
      subjectKeys: [],
      nature: 'latched',
      meaning: 'The CI metrics show a baseline of zero without declaring that the baseline failed.',
      action: 'Delete the partial file and write status `baseline_failed` instead of zeros.',
      explains: [{ row: 17, explains: ['ci_metrics_schema_drift'] }],
    },
    ci_metrics_schema_drift: {
      severities: ['medium'],
      subjectKeys: [],
      nature: 'latched',
      meaning: 'The CI metrics lack required keys or use retired ones.',
      action: 'Validate the schema where the file is written.',
    },
  },
  config: {
    decision_audit_min_keep_gain_pct: {
      type: 'number',
      unit: '%',
      default: 1,
      doc: 'A KEEP with a smaller gain is reported.',
    },
    decision_audit_dispatch_bypass_epsilon_pct: {
      type: 'number',
      unit: '%',
      default: 0.5,
      doc: 'Without a dispatch count, a gain closer to zero than this raises doubt that the kernel ran.',
    },
  },
  state: { slot: 'decision_audit', parse: parseReports },
  evaluate({ snapshot, config, state }) {
    const { integrate, ci } = findingsOf(snapshot, limitsOf(config));
    const mark = (finding: Finding): Finding =>
      wasReported(state, finding) ? { ...finding, symptom: standing(finding.symptom) } : finding;
    return {
      symptoms: [...foldEntries(integrate.map(mark)), ...ci.map((finding) => mark(finding).symptom)],
    };
  },
  settle(state, outcome, settlement, { snapshot, config }) {
    const said = new Set(newlySettled(outcome, settlement).map(symptomKey));
    if (said.size === 0) return state;
    const { integrate, ci } = findingsOf(snapshot, limitsOf(config));
    return withReports(
      state,
      [...integrate, ...ci].filter(({ symptom }) => said.has(symptomKey(symptom))),
    );
  },
});

function findingsOf(
  snapshot: Snapshot,
  limits: ReturnType<typeof limitsOf>,
): { integrate: Finding[]; ci: Finding[] } {
  const audit = objectOr(snapshot.local_decision_audit);
  return { integrate: integrateFindings(audit['recent_integrate'], limits), ci: ciFindings(audit) };
}

function limitsOf(config: {
  readonly decision_audit_min_keep_gain_pct: number;
  readonly decision_audit_dispatch_bypass_epsilon_pct: number;
}) {
  return {
    minKeepGainPct: config.decision_audit_min_keep_gain_pct,
    dispatchEpsilonPct: config.decision_audit_dispatch_bypass_epsilon_pct,
  };
}
