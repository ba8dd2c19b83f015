import { finiteNumber, isObject, type Json, type JsonObject } from '../../../foreign/json.js';
import { compareCodePoints } from '../../../foreign/order.js';
import type { Symptom } from '../../symptom.js';
import { artefactOf, type Finding } from './integrate-entries.js';

const BASELINE_KEYS = [
  'baseline_throughput',
  'baseline_tput',
  'baseline_tput_per_gpu',
  'baseline_tok_per_gpu',
] as const;

const REQUIRED_KEYS = [
  'baseline_tok_per_gpu',
  'framework',
  'gain_pct',
  'gpu',
  'model',
  'optimized_tok_per_gpu',
  'tp',
] as const;

const LEGACY_KEYS = [
  'baseline_throughput',
  'baseline_tput',
  'baseline_tput_per_gpu',
  'optimized_throughput',
] as const;

/** What the CI metrics file of a session shows, in the order of spec 04 §2. */
export function ciFindings(audit: JsonObject): Finding[] {
  const metrics = audit['ci_metrics'];
  if (!isObject(metrics) || Object.keys(metrics).length === 0) return [];
  const path = audit['ci_metrics_path'] ?? '';
  const artefact = artefactOf(path, audit['ci_metrics_mtime']);
  const symptoms = [negativeDelta(metrics, path), zeroBaseline(metrics, path), schemaDrift(metrics, path)];
  return symptoms.flatMap((symptom) => (symptom ? [{ symptom, artefact }] : []));
}

function negativeDelta(metrics: JsonObject, path: Json): Symptom | undefined {
  const count = finiteNumber(metrics['kernels_optimized']);
  const delta = finiteNumber(metrics['optimized_kernel_delta_pct']);
  if (count === undefined || count <= 0 || delta === undefined || delta > 0) return undefined;
  return {
    name: 'kernel_negative_delta_kept',
    severity: 'high',
    subject: {},
    source: 'local',
    summary: `The CI metrics count ${count} optimised kernels, yet together they changed the result by ${delta}%`,
    suggestion: 'Roll these kernels back, and count kept and reverted kernels separately.',
    evidence: { kernels_optimized: count, optimized_kernel_delta_pct: delta, ci_metrics_path: path },
  };
}

function zeroBaseline(metrics: JsonObject, path: Json): Symptom | undefined {
  if (metrics['status'] === 'baseline_failed') return undefined;
  const values = BASELINE_KEYS.flatMap((key) => finiteNumber(metrics[key]) ?? []);
  if (values.length === 0 || values.some((value) => value > 0)) return undefined;
  return {
    name: 'ci_metrics_baseline_zero',
    severity: 'high',
    subject: {},
    source: 'local',
    summary:
      'The CI metrics have a baseline of zero without saying that the baseline failed; ' +
      'a reader takes this for "nothing to gain"',
    suggestion:
      'Delete the partial file and write status baseline_failed instead of zeros when no baseline was measured.',
    evidence: { ci_metrics_path: path, baseline_values: values, status: metrics['status'] ?? null },
  };
}

function schemaDrift(metrics: JsonObject, path: Json): Symptom | undefined {
  const missing = REQUIRED_KEYS.filter((key) => !Object.hasOwn(metrics, key)).toSorted(compareCodePoints);
  const legacy = LEGACY_KEYS.filter((key) => Object.hasOwn(metrics, key)).toSorted(compareCodePoints);
  if (missing.length === 0 && legacy.length === 0) return undefined;
  const parts = [
    missing.length > 0 ? `lack ${missing.join(', ')}` : '',
    legacy.length > 0 ? `still use ${legacy.join(', ')}` : '',
  ];
  return {
    name: 'ci_metrics_schema_drift',
    severity: 'medium',
    subject: {},
    source: 'local',
    summary: `The CI metrics ${parts.filter((part) => part !== '').join(' and ')}`,
    suggestion: 'Validate the metrics against their schema where they are written.',
    evidence: {
      ci_metrics_path: path,
      missing,
      legacy_fields: legacy,
      required: REQUIRED_KEYS.toSorted(compareCodePoints),
    },
  };
}
