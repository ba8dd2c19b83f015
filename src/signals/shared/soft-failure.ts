import { integer, type Json, type JsonObject, nonBlank, objectOr } from '../../foreign/json.js';
import { trimPython } from '../../foreign/python-space.js';
import type { BusRow } from '../bus.js';
import { payloadOf } from './bus-row.js';

const FAILURE_WORDS: ReadonlySet<string> = new Set(['failed', 'failure', 'error', 'timeout', 'timed_out']);

/** A word by which a result calls itself a failure, in any letter case, blanks around it allowed. */
export function isFailureWord(value: Json | undefined): boolean {
  return typeof value === 'string' && FAILURE_WORDS.has(trimPython(value).toLowerCase());
}

/** Further words for how work ended, and where tools put them; exit codes other than 0 are failures too. */
const OUTCOME_WORDS: ReadonlySet<string> = new Set(['aborted', 'crashed', 'killed', ...FAILURE_WORDS]);
const OUTCOME_KEYS = ['state', 'status', 'outcome'] as const;
const EXIT_CODE_KEYS = ['exit_code', 'exit_status', 'exitcode', 'rc', 'returncode', 'return_code'] as const;
const VERDICT_KEYS = ['success', 'succeeded', 'ok'] as const;

/**
 * A `delegated_result` that calls itself succeeded while what it carries says that the work failed (spec 03 event-7). Rows of
 * our own collector are asked for more than the words of the specification.
 */
export function isSoftFailure(row: BusRow): boolean {
  const payload = payloadOf(row) ?? {};
  const result = objectOr(payload['result']);
  const words = row.origin === 'event' ? [result['state'], result['status']] : [payload['status']];
  return words.some(isFailureWord) || (isOfOurCollector(row) && saysOtherwise(result) !== undefined);
}

/** What a soft failure says for itself when it has no error text; undefined where there is nothing. */
export function softFailureText(row: BusRow): string | undefined {
  return isOfOurCollector(row) ? saysOtherwise(objectOr(payloadOf(row)?.['result'])) : undefined;
}

function isOfOurCollector({ origin, row }: BusRow): boolean {
  return origin === 'event' && row['task_params'] !== undefined;
}

function saysOtherwise(result: JsonObject): string | undefined {
  const word = OUTCOME_KEYS.map((key) => nonBlank(result[key])?.trim()).find(
    (value) => value !== undefined && OUTCOME_WORDS.has(value.toLowerCase()),
  );
  const code = EXIT_CODE_KEYS.map((key) => integer(result[key])).find(
    (value) => value !== undefined && value !== 0,
  );
  const denied = VERDICT_KEYS.find((key) => result[key] === false);
  const said = [
    word,
    code === undefined ? undefined : `exit code ${code}`,
    denied === undefined ? undefined : `${denied}: false`,
  ].filter((part) => part !== undefined);
  return said.length > 0 ? said.join(', ') : undefined;
}
