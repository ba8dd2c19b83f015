import { jsonObjectIn } from './json-answer.js';

const CAUSE = /^[ \t]*cause[ \t]*:[ \t]*[A-Za-z_]+[ \t.]*$/im;
const INSUFFICIENT = /^[^A-Za-z]*insufficient evidence[^A-Za-z]*$/i;

/** True when an answer has not even the form that its reader needs (spec 08 §24.10). */
export function breaksContract(promptId: string, answer: string): boolean {
  if (promptId === 'rca') return !CAUSE.test(answer) && !INSUFFICIENT.test(answer);
  return jsonObjectIn(answer) === null;
}
