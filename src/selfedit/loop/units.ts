import type { Case } from '../cases/case.js';
import type { UnitResult } from '../gate/confirmation.js';
import type { SegmentResult } from '../gate/segments.js';
import { meanOr0 } from '../numbers.js';
import type { PairRow } from '../store/run-store.js';

/** δ of one case: mean of pass_B − pass_A over its complete replicates; null without one (spec 08 §24.4). */
export function deltaOf(pairs: readonly PairRow[]): number | null {
  const complete = pairs.flatMap(({ pass_a: a, pass_b: b }) => (a === null || b === null ? [] : [b - a]));
  return complete.length === 0 ? null : meanOr0(complete);
}

/** All pairs of a unit as the confirmation takes them; pairs with an error on either side are removed together. */
export function unitResult(cases: readonly Case[], pairs: readonly PairRow[]): UnitResult {
  const deltas = cases.flatMap((one) => {
    const delta = deltaOf(pairs.filter(({ case_id }) => case_id === one.case_id));
    return delta === null ? [] : [delta];
  });
  const removed = pairs.filter(({ pass_a, pass_b }) => pass_a === null || pass_b === null).length;
  return { delta: deltas.length === 0 ? null : meanOr0(deltas), tried: pairs.length, removed };
}

/** The cases that both sides answered, for the segment guard. */
export function segmentResults(pairs: readonly PairRow[]): SegmentResult[] {
  const byCase = new Map<string, PairRow[]>();
  for (const pair of pairs) byCase.set(pair.case_id, [...(byCase.get(pair.case_id) ?? []), pair]);
  return [...byCase.values()].flatMap((own) => {
    const delta = deltaOf(own);
    return delta === null ? [] : [{ segment: own[0]?.segment ?? '', delta }];
  });
}
