import { finiteNumber, type Json, type JsonObject, objectsOf } from '../../../foreign/json.js';
import { pythonText } from '../../../foreign/python-text.js';
import { isTruthy } from '../../../foreign/python-truth.js';
import type { Symptom } from '../../symptom.js';

export interface MountLimits {
  readonly warnMs: number;
  readonly criticalMs: number;
}

/** Paths that the tools depend on and that cannot be read, or only slowly (spec 04 §10). */
export function mountSymptoms(mounts: Json | undefined, limits: MountLimits): Symptom[] {
  const rows = objectsOf(mounts).map((row) => ({
    row,
    path: textOr(row['path']),
    envName: textOr(row['env_name']),
  }));
  return rows.flatMap(({ row, path, envName }) => {
    const found = isTruthy(row['ok']) ? slow(row, path, envName, limits) : unreachable(row, path, envName);
    if (!found) return [];
    const envNames = rows.filter((other) => other.path === path).map((other) => other.envName);
    return [{ ...found, evidence: { ...found.evidence, env_names: envNames } }];
  });
}

function unreachable(row: JsonObject, path: string, envName: string): Symptom {
  const error = row['error'] ?? null;
  return {
    name: 'wekafs_degraded',
    severity: isMisconfigured(error) ? 'medium' : 'high',
    subject: { path },
    source: 'local',
    summary: `The path of ${envName || 'an unnamed variable'}, ${path || '(empty)'}, cannot be read: ${errorText(error)}`,
    suggestion: isMisconfigured(error)
      ? 'Correct the variable or the permissions of the path; tools that need it fail.'
      : 'The file system may have dropped and tools will hang on it: check it or mount it again.',
    evidence: { env_name: envName, path, error, latency_ms: row['latency_ms'] ?? null },
  };
}

function slow(
  row: JsonObject,
  path: string,
  envName: string,
  { warnMs, criticalMs }: MountLimits,
): Symptom | undefined {
  const latency = finiteNumber(row['latency_ms']);
  if (latency === undefined) return undefined;
  const isCritical = latency >= criticalMs;
  if (!isCritical && latency < warnMs) return undefined;
  return {
    name: 'wekafs_degraded',
    severity: isCritical ? 'high' : 'medium',
    subject: { path },
    source: 'local',
    summary:
      `The path of ${envName || 'an unnamed variable'}, ${path || '(empty)'}, took ${latency.toFixed(0)} ms to answer ` +
      `(warning from ${warnMs.toFixed(0)} ms)`,
    suggestion: 'The file system is getting slow; requests that need it will time out.',
    evidence: { env_name: envName, path, latency_ms: latency, warn_ms: warnMs, critical_ms: criticalMs },
  };
}

/** A wrong path in a variable is no outage of the file system (spec 04 external_deps-4). */
function isMisconfigured(error: Json): boolean {
  return error === 'not_found' || (typeof error === 'string' && error.startsWith('permission'));
}

function errorText(error: Json): string {
  return error === null ? 'no reason given' : pythonText(error);
}

function textOr(value: Json | undefined): string {
  return isTruthy(value) ? pythonText(value) : '';
}
