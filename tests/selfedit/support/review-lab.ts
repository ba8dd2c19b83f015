import { onTestFinished } from 'vitest';
import type { Case } from '../../../src/selfedit/cases/case.js';
import { confirmUnits } from '../../../src/selfedit/cases/case-set.js';
import { demoCaseSet, demoParts } from '../../../src/selfedit/demo/run-demo.js';
import type { CallResult, Executor } from '../../../src/selfedit/executor/executor.js';
import type { LoopParts, LoopSettings } from '../../../src/selfedit/loop/parts.js';
import type { RunReport } from '../../../src/selfedit/loop/report.js';
import { RunContext } from '../../../src/selfedit/loop/run-context.js';
import { runLoop } from '../../../src/selfedit/loop/run-loop.js';
import { type Edit, editIdOf } from '../../../src/selfedit/prompt/edit.js';
import { type ActedReview, actOnReviews } from '../../../src/selfedit/reviews/act.js';
import type { LiveAsker } from '../../../src/selfedit/reviews/shadow.js';
import { openStore } from '../../../src/selfedit/store/open-store.js';
import { ReviewStore } from '../../../src/selfedit/store/review-store.js';
import { ShadowStore } from '../../../src/selfedit/store/shadow-store.js';
import { TraceStore } from '../../../src/selfedit/store/trace-store.js';
import { tempDir } from '../../support/temp-dir.js';

export const SEED = 5;
/** Confirm cases of the first test; the others are fresh. */
export const FIRST = 120;
export const RULE = 'Look for the earliest cause, the one that needs no other to explain it.';
export const BY = { reviewer: 'operator', note: 'looks right' };

const usage = { calls: 1, inputTokens: 0, outputTokens: 0, usd: 0, estimated: false, latencyMs: 0 };

/** What the edit does to a case: fixes it, breaks it, or neither. */
export type Effect = (one: Case) => 'fixed' | 'broken' | 'same';

/** The confirm cases in the order of the seed. */
export function ordered(): Case[] {
  return confirmUnits(demoCaseSet().confirm, SEED, Number.POSITIVE_INFINITY).flat();
}

/** The first so many of the given cases are fixed, the next so many broken. */
export function effect(
  cases: readonly Case[],
  fixed: number,
  broken: number,
): Map<string, 'fixed' | 'broken'> {
  return new Map(
    cases
      .slice(0, fixed + broken)
      .map((one, index) => [one.case_id, index < fixed ? ('fixed' as const) : ('broken' as const)]),
  );
}

export interface Lab {
  readonly parts: LoopParts;
  readonly db: Extract<Awaited<ReturnType<typeof openStore>>, { ok: true }>['db'];
  readonly traces: TraceStore;
  readonly shadow: ShadowStore;
  /** Moves the clock, seconds. */
  readonly clock: { now: number };
  /** Calls so far: prompt with the rule or without, and case. */
  readonly calls: { readonly hasRule: boolean; readonly caseId: string }[];
  /** Lets the provider fail from the given call on. */
  readonly outage: { after: number };
  /** A run with one edit that adds the rule. */
  first(edit?: Partial<Edit>, runId?: string): Promise<RunReport>;
  act(runId?: string, asker?: Partial<LiveAsker>): Promise<ActedReview[]>;
}

/** The real loop with one edit whose effect on every held-out case is given; on dev cases it fixes eight. */
export async function reviewLab(
  held: ReadonlyMap<string, 'fixed' | 'broken'>,
  options: { readonly hasSentinels?: boolean; readonly onProgress?: LoopParts['onProgress'] } = {},
): Promise<Lab> {
  const directory = tempDir();
  const opened = await openStore(':memory:');
  if (!opened.ok) throw new Error(opened.problem);
  const { db } = opened;
  onTestFinished(() => void db.close());
  const clock = { now: Date.UTC(2026, 0, 1) / 1000 };
  const calls: { hasRule: boolean; caseId: string }[] = [];
  const outage = { after: Number.POSITIVE_INFINITY };
  const dev = new Set(
    demoCaseSet()
      .dev.slice(0, 8)
      .map(({ case_id }) => case_id),
  );
  const executor: Executor = {
    model: 'test',
    fingerprint: 'test',
    isDeterministic: true,
    worstCaseUsd: () => 0,
    likelyUsd: () => 0,
    async answer(prompt, one): Promise<CallResult> {
      if (calls.length >= outage.after) return { ok: false, kind: 'auth', message: 'no such key', usage };
      const hasRule = prompt.includes(RULE);
      calls.push({ hasRule, caseId: one.case_id });
      const does = dev.has(one.case_id) ? 'fixed' : held.get(one.case_id);
      const right = does === 'fixed' ? hasRule : does === 'broken' ? !hasRule : true;
      return { ok: true, text: right ? `cause: ${one.expected.class}` : 'cause: agent_stall', usage };
    },
  };
  const demo = await demoParts({ seed: 0, directory, db });
  const parts: LoopParts = {
    ...demo,
    executor,
    now: () => clock.now,
    ...(options.onProgress && { onProgress: options.onProgress }),
    reviews: new ReviewStore(db, () => clock.now),
  };
  const settings = (runId: string, iterations: number): LoopSettings => ({
    runId,
    seed: SEED,
    iterations,
    force: false,
    hasSentinels: options.hasSentinels ?? false,
    hasPowerCheck: false,
    hasSearch: false,
    tieBreak: 'cost',
    confirmLimit: FIRST,
    budgetUsd: 0,
  });
  const shadow = new ShadowStore(db, () => clock.now);
  return {
    parts,
    db,
    traces: new TraceStore(db, () => clock.now),
    shadow,
    clock,
    calls,
    outage,
    first: (edit = {}, runId = 'first') => {
      const propose: LoopParts['propose'] = async ({ base }) => {
        const ops = edit.ops ?? [
          { op: 'insert_after' as const, old_text: 'Read all findings first', new_text: RULE },
        ];
        const whole: Edit = {
          edit_id: editIdOf('rca', base.sha256, ops),
          base_version: base.version,
          base_sha256: base.sha256,
          ops,
          section: 'body',
          hypothesis: 'a root needs no explanation by others',
          intent: 'add_rule',
          expected: { segments: ['resource_leak'], net: 8 },
          evidence_traces: [],
          ...edit,
        };
        const proposals = [{ edit: whole, label: null }];
        return { proposals, problems: [], usage: null, model: 'script', isExhausted: true };
      };
      return runLoop({ ...parts, propose }, settings(runId, 1));
    },
    async act(runId = 'act', asker = {}) {
      const acted: ActedReview[] = [];
      parts.runs.begin({
        run_id: runId,
        prompt_id: 'rca',
        seed: SEED,
        config_sha256: '',
        budget_usd: 0,
      });
      const context = new RunContext(parts, settings(runId, 0), false);
      const live: LiveAsker = {
        model: 'test',
        worstCaseUsd: () => 0,
        ask: async () => ({ ok: true, text: 'cause: crash_loop', usage }),
        ...asker,
      };
      await actOnReviews(context, { asker: live, store: shadow, redact: (text) => text }, (one) =>
        acted.push(one),
      );
      return acted;
    },
  };
}

/** The one review there is. */
export function onlyReview({ parts }: Lab): number {
  const reviews = parts.reviews.list('rca').filter(({ state }) => state === 'open');
  if (reviews.length !== 1 || reviews[0] === undefined) throw new Error(`${reviews.length} open reviews`);
  return reviews[0].review_id;
}
