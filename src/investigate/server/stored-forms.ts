import { isObject } from '../../foreign/json.js';
import { isConfidenceLevel } from '../model/confidence.js';
import { isErrorType } from '../model/error-type.js';
import type { HealResult } from '../model/heal-result.js';
import type { Receipt } from '../model/receipt.js';

/** A stored result; null when the file holds something else. */
export function readResult(value: unknown): HealResult | null {
  return isResult(value) ? value : null;
}

/** A stored receipt; null when the line holds something else. */
export function readReceipt(value: unknown): Receipt | null {
  return isReceipt(value) ? value : null;
}

function isResult(value: unknown): value is HealResult {
  if (!isObject(value)) return false;
  const { root_cause: cause, investigation_steps: steps } = value;
  if (!isObject(cause) || !Array.isArray(steps) || !steps.every(isStep)) return false;
  return (
    typeof value['issue_summary'] === 'string' &&
    typeof cause['description'] === 'string' &&
    typeof cause['confidence'] === 'number' &&
    isConfidenceLevel(cause['confidence_level']) &&
    isErrorType(cause['error_type']) &&
    Array.isArray(cause['claims']) &&
    cause['claims'].every(isClaim) &&
    isObject(value['budget']) &&
    isObject(value['time_window'])
  );
}

function isStep(value: unknown): boolean {
  return isObject(value) && typeof value['round'] === 'number' && typeof value['result_summary'] === 'string';
}

function isClaim(value: unknown): boolean {
  return isObject(value) && typeof value['text'] === 'string' && Array.isArray(value['receipt_ids']);
}

function isReceipt(value: unknown): value is Receipt {
  return (
    isObject(value) &&
    typeof value['receipt_id'] === 'string' &&
    Number.isInteger(value['seq']) &&
    typeof value['tool'] === 'string' &&
    typeof value['status'] === 'string' &&
    typeof value['count'] === 'number' &&
    isObject(value['args']) &&
    Array.isArray(value['services']) &&
    Array.isArray(value['fingerprints'])
  );
}
