import { isObject } from '../../foreign/json.js';
import { jsonObjectIn } from './json-answer.js';

const CAUSE = /^[\s*_`>-]*cause[\s*_`]*:[\s*_`]*([A-Za-z_]+)[\s*_`.]*$/i;
const INSUFFICIENT = /^["'`*\s]*insufficient evidence["'`*.\s]*$/i;

/**
 * What an answer named, as whoever uses it reads it: the class on its last line, or the field of its JSON object; empty for
 * nothing. The fixed phrase for too little evidence names `insufficient_evidence`.
 */
export function answerOf(output: string): string {
  const text = output.trim();
  const named = CAUSE.exec(text.split('\n').at(-1) ?? '');
  if (named !== null) return (named[1] ?? '').toLowerCase();
  if (INSUFFICIENT.test(text)) return 'insufficient_evidence';
  const reply = jsonObjectIn(text);
  const cause = isObject(reply?.['root_cause']) ? reply['root_cause'] : reply;
  return String(cause?.['error_type'] ?? reply?.['action_id'] ?? '');
}
