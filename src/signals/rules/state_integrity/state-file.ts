import { finiteNumber, integer, isObject, type Json, type JsonObject } from '../../../foreign/json.js';
import { pythonText } from '../../../foreign/python-text.js';
import { isTruthy } from '../../../foreign/python-truth.js';
import type { Symptom } from '../../symptom.js';

/** Below this size a shrunken file proves nothing, bytes. */
const MIN_PREVIOUS_BYTES = 4096;
/** A valid file that lost more than nine tenths of its size has lost content. */
const SHRINK_FACTOR = 10;

/** The session's `state.json` is unreadable, or valid but almost empty (spec 04 §9, state_integrity-5). */
export function stateFileSymptom(stateJson: Json | undefined): Symptom | undefined {
  if (!isObject(stateJson) || Object.keys(stateJson).length === 0) return undefined;
  if (isTruthy(stateJson['valid'])) return shrunken(stateJson);
  const error = isTruthy(stateJson['error']) ? pythonText(stateJson['error']) : 'unknown';
  return error === 'missing' ? undefined : corrupt(stateJson, error);
}

/** Why the session stopped, as far as a readable `state.json` says; empty while it runs. */
export function stopReasonOf(stateJson: Json | undefined): string {
  if (!isObject(stateJson) || !isTruthy(stateJson['valid'])) return '';
  return isTruthy(stateJson['stop_reason']) ? pythonText(stateJson['stop_reason']) : '';
}

function shrunken(stateJson: JsonObject): Symptom | undefined {
  const before = integer(stateJson['previous_size_bytes']);
  const size = finiteNumber(stateJson['size_bytes']);
  if (stateJson['valid'] !== true || before === undefined || size === undefined) return undefined;
  if (before < MIN_PREVIOUS_BYTES || size >= before / SHRINK_FACTOR) return undefined;
  const symptom = corrupt(stateJson, 'shrunken');
  return { ...symptom, evidence: { ...symptom.evidence, previous_size_bytes: before } };
}

function corrupt(stateJson: JsonObject, error: string): Symptom {
  return {
    name: 'state_json_corrupt',
    severity: 'high',
    subject: {},
    source: 'local',
    summary:
      `The session state ${pythonText(stateJson['path'] ?? 'state.json')} is damaged (${error}): ` +
      'a resume would lose baseline, best result and ledgers',
    suggestion: 'Back up the file, stop the session and check the file system.',
    evidence: {
      path: stateJson['path'] ?? null,
      error,
      size_bytes: stateJson['size_bytes'] ?? null,
    },
  };
}
