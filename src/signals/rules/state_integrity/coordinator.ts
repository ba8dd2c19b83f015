import { finiteNumber, isObject, type JsonObject, objectOr, objectsOf } from '../../../foreign/json.js';
import { pythonText } from '../../../foreign/python-text.js';
import { isTruthy } from '../../../foreign/python-truth.js';
import type { Symptom } from '../../symptom.js';
import { stopReasonOf } from './state-file.js';

export interface ZombieLimits {
  /** So long `state.json` must have been untouched before a dead process is believed, s. */
  readonly quietS: number;
  readonly nowUnix: number;
  /** False when the leases could not be read: none in the list is then no evidence. */
  readonly leasesKnown: boolean;
}

/** The Coordinator is dead, although the session has not been stopped (spec 04 §9, state_integrity-4). */
export function zombieSymptom(integrity: JsonObject, limits: ZombieLimits): Symptom | undefined {
  const coordinator = objectOr(integrity['coordinator']);
  const { recorded_pid: pid = null, alive = null } = coordinator;
  if (pid === null || alive === null || isTruthy(alive)) return undefined;
  if (stopReasonOf(integrity['state_json']) !== '') return undefined;
  const identified = coordinator['identity_source'] !== undefined;
  if (identified && showsLife(integrity, limits)) return undefined;
  const stateJson = integrity['state_json'];
  return {
    name: 'coordinator_zombie',
    severity: 'high',
    subject: {},
    source: 'local',
    summary:
      `The coordinator process ${pythonText(pid)} is dead and the session has no stop reason: ` +
      'monitors may think that it still runs',
    suggestion: 'An operator must restart the session; the run log says how the process ended.',
    evidence: {
      recorded_pid: pid,
      pid_file: coordinator['pid_file'] ?? null,
      state_json_valid: isObject(stateJson) ? isTruthy(stateJson['valid']) : null,
      stop_reason: '(empty)',
    },
  };
}

/** Somebody still writes the session's state or holds a lease, or that cannot be excluded. */
function showsLife(integrity: JsonObject, { quietS, nowUnix, leasesKnown }: ZombieLimits): boolean {
  const written = finiteNumber(objectOr(integrity['state_json'])['mtime']);
  if (written !== undefined && nowUnix - written < quietS) return true;
  return !leasesKnown || objectsOf(integrity['leases']).some((lease) => lease['alive'] === true);
}
