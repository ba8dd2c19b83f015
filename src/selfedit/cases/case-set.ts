import { sha256, uniform } from '../hash.js';
import type { Case, Split } from './case.js';
import { caseText } from './case-text.js';

/** Where a group belongs (spec 08 §23, §24.9): a function of its id. */
export function splitOf(groupId: string): Split {
  const s = uniform(`split|${groupId}`);
  if (s < 0.35) return 'dev';
  return s < 0.85 ? 'confirm' : 'audit';
}

/** The cases of one prompt by what they may be used for. */
export class CaseSet {
  readonly all: readonly Case[];
  readonly dev: readonly Case[];
  readonly confirm: readonly Case[];
  readonly audit: readonly Case[];

  /** @param retired ids of cases that earlier epochs moved to dev, each with its whole group; they override the hash */
  constructor(cases: readonly Case[], retired: ReadonlySet<string> = new Set()) {
    const splits = new Map<string, Split>();
    for (const { group_id } of cases) if (!splits.has(group_id)) splits.set(group_id, splitOf(group_id));
    for (const { case_id, group_id } of cases) if (retired.has(case_id)) splits.set(group_id, 'dev');
    const of = (one: Case): Split => splits.get(one.group_id) ?? 'audit';
    this.all = cases;
    this.dev = cases.filter((one) => of(one) === 'dev');
    this.confirm = cases.filter((one) => of(one) === 'confirm');
    this.audit = cases.filter((one) => of(one) === 'audit');
  }

  /** Groups, ids and hashes of inputs that the analyzer must not see (spec 08 §24.9). */
  get hidden(): Set<string> {
    return new Set(
      [...this.confirm, ...this.audit].flatMap((one) => [
        one.group_id,
        one.case_id,
        one.sha256,
        sha256(caseText(one)),
      ]),
    );
  }
}

/** The confirm cases of a run as units in their order: one per group, by the first of its cases (spec 08 §24.4). */
export function confirmUnits(cases: readonly Case[], seed: number, limit: number): Case[][] {
  const ordered = cases
    .map((one) => ({ one, at: uniform(`conf|${seed}|${one.case_id}`) }))
    .sort((a, b) => a.at - b.at);
  const units = new Map<string, Case[]>();
  for (const { one } of ordered) {
    const unit = units.get(one.group_id);
    if (unit === undefined) units.set(one.group_id, [one]);
    else unit.push(one);
  }
  return [...units.values()].slice(0, limit);
}

/** True when prompt A is called first in this pair (spec 08 §24.4). */
export function isAFirst(seed: number, caseId: string, replicate: number): boolean {
  return uniform(`ab|${seed}|${caseId}|${replicate}`) < 0.5;
}
