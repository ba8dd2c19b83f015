import { applyEdit, type Edit, type EditOp, editIdOf } from '../prompt/edit.js';
import { lineHunks } from '../prompt/line-diff.js';
import type { CurrentPrompt } from '../registry/registry.js';
import type { Proposal } from './parts.js';
import type { Screened } from './screen.js';

/**
 * The two edits that complement each other best as one new edit (spec 08 §24.5): both with net wins on the dev cases, on
 * disjoint lines, and each right where the other is not. Null when there is no such pair.
 */
export function mergeOf(
  screened: readonly Screened[],
  base: CurrentPrompt,
  promptId: string,
): Proposal | null {
  const able = screened.filter(
    ({ tally, proposal }) => tally.wins > tally.losses && !proposal.edit.merged_from,
  );
  let best: { readonly reach: number; readonly edit: Edit } | null = null;
  for (const [index, a] of able.entries()) {
    for (const b of able.slice(index + 1)) {
      const reach = reachOf(a, b);
      if (reach === null || (best !== null && reach <= best.reach)) continue;
      const ops = mergedOps(a, b, base.text);
      if (ops !== null) best = { reach, edit: mergedEdit(a, b, ops, base, promptId) };
    }
  }
  return best === null ? null : { edit: best.edit, label: null };
}

/** Dev cases that one of the two passes; null when the better of them passes as many alone. */
function reachOf(a: Screened, b: Screened): number | null {
  let together = 0;
  let aAlone = 0;
  let bAlone = 0;
  for (const [id, pass] of a.passes) {
    const other = b.passes.get(id) ?? 0;
    together += Math.max(pass, other);
    aAlone += pass;
    bAlone += other;
  }
  return together > Math.max(aAlone, bAlone) ? together : null;
}

/** The operations one after another, if they change disjoint lines and the order does not matter. */
function mergedOps(a: Screened, b: Screened, base: string): readonly EditOp[] | null {
  if (touchSameLines(base, a.candidate, b.candidate)) return null;
  const [first, second] = [a.proposal.edit.ops, b.proposal.edit.ops];
  const one = applyEdit(base, [...first, ...second]);
  const other = applyEdit(base, [...second, ...first]);
  return one.ok && other.ok && one.text === other.text ? [...first, ...second] : null;
}

function touchSameLines(base: string, a: string, b: string): boolean {
  const spans = (candidate: string): (readonly [from: number, to: number])[] =>
    lineHunks(base, candidate).map(({ at, old }) => [at, at + old.length]);
  return spans(a).some(([from, to]) => spans(b).some(([start, end]) => from <= end && start <= to));
}

function mergedEdit(
  { proposal: { edit: a } }: Screened,
  { proposal: { edit: b } }: Screened,
  ops: readonly EditOp[],
  base: CurrentPrompt,
  promptId: string,
): Edit {
  return {
    edit_id: editIdOf(promptId, base.sha256, ops),
    base_version: base.version,
    base_sha256: base.sha256,
    ops,
    section: [a.section, b.section].filter((name) => name !== '').join(', '),
    hypothesis: `both: ${a.hypothesis}; ${b.hypothesis}`,
    intent: a.intent,
    expected: {
      segments: [...new Set([...a.expected.segments, ...b.expected.segments])],
      net: a.expected.net + b.expected.net,
    },
    evidence_traces: [...new Set([...a.evidence_traces, ...b.evidence_traces])],
    merged_from: [a.edit_id, b.edit_id],
  };
}
