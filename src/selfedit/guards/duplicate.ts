import { ngramDrift } from '../prompt/drift.js';
import type { Edit } from '../prompt/edit.js';

/** An edit that was judged before in this epoch. */
export interface JudgedEdit {
  readonly edit: Edit;
  readonly iteration: number;
  /** It was turned down for what it does, not for want of power or budget. */
  readonly isRejected: boolean;
}

const SIMILAR = 0.9;
const BARRED_AFTER = 2;

/**
 * Why an edit repeats another, or null (spec 08 §24.5): one per (intent, segment) in an iteration, none after two rejections
 * in the epoch, and none whose changed span is nearly that of another edit of the same base.
 */
export function duplicateProblem(
  edit: Edit,
  iteration: number,
  judged: readonly JudgedEdit[],
): string | null {
  const pair = pairOf(edit);
  const own = judged.filter((one) => pairOf(one.edit) === pair);
  if (own.some((one) => one.iteration === iteration)) return `another edit of this iteration is also ${pair}`;
  if (own.filter(({ isRejected }) => isRejected).length >= BARRED_AFTER) return `${pair} was rejected twice`;
  // An edit that lacked power or budget may come again.
  const twin = judged.find(
    (one) =>
      (one.isRejected || one.iteration === iteration) &&
      one.edit.base_sha256 === edit.base_sha256 &&
      1 - ngramDrift(span(one.edit), span(edit)) > SIMILAR,
  );
  return twin === undefined ? null : `nearly the same as ${twin.edit.edit_id}`;
}

/** What an edit aims at, in words. */
function pairOf({ intent, expected }: Edit): string {
  return `${intent} for ${expected.segments[0] ?? 'all segments'}`;
}

function span({ ops }: Edit): string {
  return ops.map(({ old_text, new_text, op }) => (op === 'delete' ? old_text : new_text)).join('\n');
}
