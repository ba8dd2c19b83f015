import { RCA_CLASSES } from '../cases/symptom-classes.js';
import { answerOf } from './answer-of.js';
import { jsonObjectIn } from './json-answer.js';

/** True when an answer has not even the form that its reader needs (spec 08 §24.10). */
export function breaksContract(promptId: string, answer: string): boolean {
  if (promptId === 'rca') return !RCA_CLASSES.some((known) => known === answerOf(answer));
  return jsonObjectIn(answer) === null;
}
