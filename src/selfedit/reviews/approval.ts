import { frozenProblem, touchesFrozen } from '../guards/frozen-check.js';
import { type LeakCorpus, leakProblem } from '../guards/leak-lint.js';
import { sha256 } from '../hash.js';
import { applyEdit, editIdOf, normaliseLines } from '../prompt/edit.js';
import type { PromptRegistry } from '../registry/registry.js';
import type { EditOrigin, ReviewRow } from '../store/review-store.js';

/** What an approval is held against. */
export interface ApprovalContext {
  readonly promptId: string;
  readonly registry: PromptRegistry;
  readonly corpus: LeakCorpus;
}

/**
 * Why nobody can approve a review, or null: a frozen text touched, a leak, or a hash that is not the recorded one
 * (spec 08 §24.10). Judged anew, because cases, prompt and store may have changed since the review was opened.
 */
export function approvalProblem(
  review: ReviewRow,
  origin: EditOrigin | null,
  { promptId, registry, corpus }: ApprovalContext,
): string | null {
  if (review.kind === 'oracle_drift') {
    return registry.current() === null ? 'the current text is not the one that was promoted' : null;
  }
  if (origin === null) return `the edit ${review.edit_id} is not in the store`;
  const { edit, candidateSha256 } = origin;
  if (editIdOf(promptId, edit.base_sha256, edit.ops) !== review.edit_id)
    return 'the stored edit is not the one that was judged: its hash differs';
  const base = registry.text(edit.base_version);
  if (base === null || sha256(base) !== edit.base_sha256)
    return `the text of version ${edit.base_version} is not the one that the edit was made for: its hash differs`;
  const applied = applyEdit(base, edit.ops);
  if (!applied.ok) return `it does not apply: ${applied.problem}`;
  if (candidateSha256 !== null && sha256(applied.text) !== candidateSha256)
    return 'the edit does not give the text that was measured: its hash differs';
  const clean = normaliseLines(base);
  const added = edit.ops.map(({ new_text }) => normaliseLines(new_text));
  if (edit.ops.some(({ op, old_text }) => op !== 'insert_after' && touchesFrozen(clean, old_text)))
    return 'it touches a frozen line';
  const frozen = frozenProblem(clean, applied.text, added);
  if (frozen !== null) return `frozen: ${frozen}`;
  const leak = leakProblem(added.join('\n'), clean, corpus);
  return leak === null ? null : `leak: ${leak}`;
}
