import { finiteNumber, integer, isObject, type Json, type JsonObject } from '../../../foreign/json.js';
import { pythonText } from '../../../foreign/python-text.js';
import { isTruthy } from '../../../foreign/python-truth.js';
import type { Symptom } from '../../symptom.js';

/** Below this size a shrunken file proves nothing, bytes. */
const MIN_PREVIOUS_BYTES = 4096;
/** A valid file that lost more than nine tenths of its size has lost content. */
const SHRINK_FACTOR = 10;
/** A file that is missing for a shorter time is being replaced, s. */
const MISSING_AFTER_S = 900;

/** The session's `state.json` is unreadable, valid but almost empty, or gone (spec 04 §9, state_integrity-5). */
export function stateFileSymptom(stateJson: Json | undefined, nowUnix: number): Symptom | undefined {
  if (!isObject(stateJson) || Object.keys(stateJson).length === 0) return undefined;
  if (isTruthy(stateJson['valid'])) return shrunken(stateJson);
  const error = isTruthy(stateJson['error']) ? pythonText(stateJson['error']) : 'unknown';
  return error === 'missing' ? vanished(stateJson, nowUnix) : corrupt(stateJson, error);
}

/** Why the session stopped, as far as a readable `state.json` says; empty while it runs. */
export function stopReasonOf(stateJson: Json | undefined): string {
  if (!isObject(stateJson) || !isTruthy(stateJson['valid'])) return '';
  return isTruthy(stateJson['stop_reason']) ? pythonText(stateJson['stop_reason']) : '';
}

/**
 * A file that this session had and has not had for minutes. One that was never seen may not have been written yet, and one
 * that was just there may be in the middle of its renaming.
 */
function vanished(stateJson: JsonObject, nowUnix: number): Symptom | undefined {
  const before = integer(stateJson['previous_size_bytes']);
  const since = finiteNumber(stateJson['missing_since_unix']);
  if (before === undefined || since === undefined || nowUnix - since < MISSING_AFTER_S) return undefined;
  const symptom = corrupt(stateJson, 'vanished');
  return {
    ...symptom,
    summary:
      `The session state ${pythonText(stateJson['path'] ?? 'state.json')}, which had ${before} bytes, has been gone for ` +
      `${((nowUnix - since) / 60).toFixed(0)} minutes: a resume would begin from nothing`,
    suggestion: 'Stop the session before more of it is lost, and look what became of its storage.',
    evidence: { ...symptom.evidence, previous_size_bytes: before, missing_since_unix: since },
  };
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
