import type { Incident } from '../incidents/incident.js';
import { KNOWN_CLASSIFICATIONS } from '../trace/event.js';

/** Version of the feature order below; a stored model of another version is not used (spec 06 F.7.7). */
export const TRACE_FEATURE_SCHEMA = 'trace-1';

/** The eleven features of a trace incident, in order (spec 06 B.5). */
export const TRACE_FEATURE_NAMES: readonly string[] = [
  'frequency_score',
  'severity_score',
  'recovery_rate',
  'final_score',
  'confidence',
  'run_coverage',
  'recovery_latency',
  ...KNOWN_CLASSIFICATIONS.map((name) => `is_${name}`),
];

/** The feature vector of an incident; a latency of −1 means that nothing recovered (spec 06 B.5). */
export function incidentFeatures(incident: Incident): number[] {
  const coverage = incident.runs_total === 0 ? 0 : incident.runs_seen_in / incident.runs_total;
  return [
    incident.frequency_score,
    incident.severity_score,
    incident.recovery_rate,
    incident.final_score,
    incident.confidence,
    coverage,
    incident.median_recovery_latency ?? -1,
    ...KNOWN_CLASSIFICATIONS.map((name) => (incident.failure_classification === name ? 1 : 0)),
  ];
}
