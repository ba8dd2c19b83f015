import { join } from 'node:path';
import type { JsonObject } from '../../foreign/json.js';
import { redactorFor } from '../../foreign/redact.js';
import type { Collector, CollectorAnswer } from '../collector.js';
import { readJsonObject } from '../tools/read-json.js';
import { integrateFiles, integrateRecords, mergeIntegrate } from './integrate-entries.js';
import { kernelAttempts } from './kernel-attempts.js';

const MAX_CI_METRICS = 2 ** 20;
const CI_METRICS = [
  'results/ci_metrics_final.json',
  'results/ci_metrics.json',
  'ci_metrics_final.json',
  'ci_metrics.json',
] as const;

/** What the session decided about its kernels, how they were made, and what CI measured (spec 02 §5.13, §8, §10.7). */
export const auditCollector: Collector = {
  names: ['audit'],
  hostBound: false,
  needsSession: true,
  needs: ['state'],
  budgetMs: () => 2000,
  disabled: (config) => (config.decision_audit_enabled ? undefined : 'disabled'),
  whenUnknown: { local_decision_audit: {} },
  async collect({ sessionDir, config, env, facts }, signal): Promise<CollectorAnswer> {
    if (sessionDir === null)
      return { verdicts: { audit: { status: 'skipped', reason: 'no_session' } }, slots: {} };
    const workspace = facts.coordinator?.workspaceRoot;
    const roots = workspace === undefined ? [sessionDir] : [sessionDir, workspace];
    const max = config.decision_audit_max_integrate;
    const files = await integrateFiles(sessionDir, max, signal);
    const records = integrateRecords(facts.stateJson ?? {}, sessionDir);
    const recent_integrate = mergeIntegrate(files, records, max, roots);
    const oob_attempts = await kernelAttempts(
      sessionDir,
      config.decision_audit_max_oob_attempts,
      redactorFor(env),
      signal,
    );
    const ci = ciMetrics(sessionDir);
    const isEmpty = recent_integrate.length === 0 && oob_attempts.length === 0 && ci.ci_metrics_path === '';
    return {
      verdicts: { audit: { status: isEmpty ? 'empty' : 'ok' } },
      slots: { local_decision_audit: { recent_integrate, oob_attempts, ...ci } },
    };
  },
};

type CiMetrics = {
  readonly ci_metrics_path: string;
  readonly ci_metrics: JsonObject;
  /** Unix s. */
  readonly ci_metrics_mtime: number | null;
};

/** The first candidate that exists and holds an object; a broken earlier one is skipped. */
function ciMetrics(sessionDir: string): CiMetrics {
  for (const candidate of CI_METRICS) {
    const path = join(sessionDir, candidate);
    const read = readJsonObject(path, { maxBytes: MAX_CI_METRICS, root: sessionDir });
    if (read.ok) return { ci_metrics_path: path, ci_metrics: read.value, ci_metrics_mtime: read.mtimeUnix };
  }
  return { ci_metrics_path: '', ci_metrics: {}, ci_metrics_mtime: null };
}
