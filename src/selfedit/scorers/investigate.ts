import { isObject, listOr, objectsOf } from '../../foreign/json.js';
import { jsonObjectIn } from './json-answer.js';
import type { Scorer } from './scorer.js';

const BANDS = ['low', 'medium', 'high'];

/**
 * `investigate_v1` (spec 08 §21): the error type is the expected one, every cited evidence id is in the ledger (the findings
 * of the case, by `id`), and the claimed confidence band is at most the governor's (`context.max_band`).
 */
export const scoreInvestigate: Scorer = (testCase, answer) => {
  const reply = jsonObjectIn(answer);
  const cause = isObject(reply?.['root_cause']) ? reply['root_cause'] : (reply ?? {});
  const ledger = new Set(objectsOf(testCase.input.findings).map((finding) => String(finding['id'] ?? '')));
  const cited = listOr(cause['evidence_ids']).map(String);
  const isRight = cause['error_type'] === testCase.expected.class;
  const isGrounded = cited.length > 0 && cited.every((id) => ledger.has(id));
  const isHumble = rank(cause['confidence_band']) <= rank(testCase.input.context['max_band'] ?? 'high');
  const faults = [
    ...(isRight ? [] : [`names ${String(cause['error_type'] ?? 'no error type')}`]),
    ...(isGrounded ? [] : ['cites evidence that is not in the ledger, or none']),
    ...(isHumble ? [] : ['claims more confidence than the evidence allows']),
  ];
  return {
    score: (isRight ? 0.7 : 0) + (isGrounded ? 0.2 : 0) + (isHumble ? 0.1 : 0),
    passed: faults.length === 0,
    faults,
    violation: reply === null,
  };
};

/** An unknown band counts as the highest. */
function rank(band: unknown): number {
  const index = BANDS.indexOf(String(band).toLowerCase());
  return index < 0 ? BANDS.length : index;
}
