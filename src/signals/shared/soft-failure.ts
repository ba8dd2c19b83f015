import { type Json, objectOr } from '../../foreign/json.js';
import { trimPython } from '../../foreign/python-space.js';
import type { BusRow } from '../bus.js';
import { payloadOf } from './bus-row.js';

const FAILURE_WORDS: ReadonlySet<string> = new Set(['failed', 'failure', 'error', 'timeout', 'timed_out']);

/** A word by which a result calls itself a failure, in any letter case, blanks around it allowed. */
export function isFailureWord(value: Json | undefined): boolean {
  return typeof value === 'string' && FAILURE_WORDS.has(trimPython(value).toLowerCase());
}

/** A `delegated_result` that calls itself succeeded while what it carries says that the work failed (spec 03 event-7). */
export function isSoftFailure(row: BusRow): boolean {
  const payload = payloadOf(row) ?? {};
  const result = objectOr(payload['result']);
  const words = row.origin === 'event' ? [result['state'], result['status']] : [payload['status']];
  return words.some(isFailureWord);
}
