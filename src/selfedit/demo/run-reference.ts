import type { Case } from '../cases/case.js';
import { type CaseSet, confirmUnits } from '../cases/case-set.js';
import type { Executor } from '../executor/executor.js';
import { applyEdit } from '../prompt/edit.js';
import { pooledPermutationP, relativeEffect } from '../reference/pooled-p.js';
import { scoreRca } from '../scorers/rca.js';
import { type DemoEdit, demoEdits } from './demo-edits.js';
import { DEFAULT_CHURN, demoExecutor } from './demo-executor.js';
import { DEMO_PROMPT } from './demo-prompt.js';

/** What the reference did with one edit. */
export type ReferenceEditReport = {
  readonly label: string;
  readonly truth: DemoEdit['truth'];
  readonly right_before: number;
  readonly right_after: number;
  readonly p: number;
  readonly verdict: 'promote' | 'not_promoted' | 'blocked';
};

export type ReferenceReport = {
  readonly seed: number;
  readonly tasks: number;
  readonly edits: readonly ReferenceEditReport[];
  readonly calls: number;
  readonly final_prompt: string;
};

export interface ReferenceOptions {
  readonly seed: number;
  readonly churn?: number;
  readonly tasks?: number;
  /** Tasks that the analyzer has seen: the first dev cases by id, as in several of its field runs. */
  readonly seen?: boolean;
}

const MIN_EFFECT = 0.05;
const ALPHA = 0.05;

/**
 * The reference's gate on the material of the demo (spec 08 §23): every edit in order, A and B once on each task, promoted at
 * 5 % relative with pooled two-sided p below 0.05; its guards stop x1 to x3, after the calls.
 */
export async function runReference(cases: CaseSet, options: ReferenceOptions): Promise<ReferenceReport> {
  const { seed, churn = DEFAULT_CHURN, tasks = 180, seen = false } = options;
  const executor = demoExecutor(seed, churn);
  const chosen = seen ? cases.dev.slice(0, tasks) : confirmUnits(cases.confirm, seed, tasks).flat();
  const edits: ReferenceEditReport[] = [];
  let current = DEMO_PROMPT;
  let calls = 0;
  for (const one of demoEdits(seed)) {
    const applied = applyEdit(current, one.ops(current, cases.dev));
    const candidate = applied.ok ? applied.text : current;
    const before = await countRight(executor, current, chosen);
    const after = await countRight(executor, candidate, chosen);
    calls += 2 * chosen.length;
    const p = pooledPermutationP(before, after, chosen.length);
    const isBlocked = one.truth === 'forbidden' || !applied.ok;
    const isBetter = relativeEffect(before, after) >= MIN_EFFECT && p < ALPHA;
    const verdict = isBlocked ? 'blocked' : isBetter ? 'promote' : 'not_promoted';
    if (verdict === 'promote') current = candidate;
    edits.push({ label: one.label, truth: one.truth, right_before: before, right_after: after, p, verdict });
  }
  return { seed, tasks: chosen.length, edits, calls, final_prompt: current };
}

async function countRight(executor: Executor, prompt: string, cases: readonly Case[]): Promise<number> {
  let right = 0;
  for (const one of cases) {
    const result = await executor.answer(prompt, one, 0);
    if (result.ok && scoreRca(one, result.text).passed) right += 1;
  }
  return right;
}

/** Share of cases that a prompt of the demo gets right. */
export async function demoAccuracy(
  prompt: string,
  cases: readonly Case[],
  { seed, churn = DEFAULT_CHURN }: ReferenceOptions,
): Promise<number> {
  return (await countRight(demoExecutor(seed, churn), prompt, cases)) / Math.max(1, cases.length);
}
