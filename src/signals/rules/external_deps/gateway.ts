import { finiteNumber, integer, type JsonObject } from '../../../foreign/json.js';
import { pythonText } from '../../../foreign/python-text.js';
import type { Severity, Symptom } from '../../symptom.js';

export interface GatewayLimits {
  /** Failed probes in a row from which on a rejection is high. */
  readonly minFailures: number;
  /** Failed probes in a row from which on silence is reported, and is high. */
  readonly unreachableMin: number;
  readonly unreachableHigh: number;
}

/** The gateway rejects our credentials, or cannot be reached; never both (spec 04 §10, external_deps-2 and -8). */
export function gatewaySymptom(gateway: JsonObject, limits: GatewayLimits): Symptom | undefined {
  // A rejection without credentials is what a healthy gateway answers.
  if (gateway['status'] === 'unauthenticated_probe') return undefined;
  return authOutage(gateway, limits.minFailures) ?? unreachable(gateway, limits);
}

function authOutage(gateway: JsonObject, minFailures: number): Symptom | undefined {
  const code = integer(gateway['status_code']);
  const isUnauthorized = gateway['status'] === 'unauthorized' || code === 401;
  if (!isUnauthorized && code !== 403) return undefined;
  return {
    name: 'gateway_auth_outage',
    severity: isUnauthorized && isConfirmed(gateway, minFailures) ? 'high' : 'medium',
    subject: {},
    source: 'local',
    summary:
      `The LLM gateway ${shown(gateway['url'])} rejects our credentials (status ${shown(gateway['status'])}, ` +
      `code ${shown(gateway['status_code'])}): every agent that calls it will fail`,
    suggestion: 'Rotate the API keys and export them again for every agent.',
    evidence: evidenceOf(gateway),
  };
}

/** Sources that do not count failures are taken at their word; an unknown count confirms nothing (spec 03 G-13). */
function isConfirmed(gateway: JsonObject, minFailures: number): boolean {
  if (gateway['fail_streak'] === undefined) return true;
  return (finiteNumber(gateway['fail_streak']) ?? 0) >= minFailures;
}

function unreachable(gateway: JsonObject, limits: GatewayLimits): Symptom | undefined {
  const streak = finiteNumber(gateway['fail_streak']);
  if (gateway['status'] !== 'error' && gateway['status'] !== 'server_error') return undefined;
  if (streak === undefined || streak < limits.unreachableMin) return undefined;
  const severity: Severity = streak >= limits.unreachableHigh ? 'high' : 'medium';
  return {
    name: 'gateway_unreachable',
    severity,
    subject: {},
    source: 'local',
    summary:
      `The LLM gateway ${shown(gateway['url'])} has not answered ${streak} probes in a row ` +
      `(status ${shown(gateway['status'])}, ${shown(gateway['error'] ?? gateway['status_code'])})`,
    suggestion: 'Check the gateway and the way to it; agents that wait for an answer will look stalled.',
    evidence: { ...evidenceOf(gateway), fail_streak: streak },
  };
}

function evidenceOf(gateway: JsonObject): JsonObject {
  return {
    url: gateway['url'] ?? null,
    status_code: gateway['status_code'] ?? null,
    status: gateway['status'] ?? null,
    error: gateway['error'] ?? null,
  };
}

function shown(value: JsonObject[string]): string {
  return value === null || value === undefined ? 'unknown' : pythonText(value);
}
