import type { Redact } from '../../foreign/redact.js';
import { withTail } from '../../selfedit/executor/with-tail.js';
import { sha256 } from '../../selfedit/hash.js';
import { artefactsIn } from '../../selfedit/loop/artefacts.js';
import { ProviderOutage } from '../../selfedit/loop/measure.js';
import type { LoopProgress, LoopSettings } from '../../selfedit/loop/parts.js';
import type { AuditReport } from '../../selfedit/loop/report.js';
import { RunContext } from '../../selfedit/loop/run-context.js';
import { auditAfter } from '../../selfedit/loop/run-loop.js';
import { LimitStop } from '../../selfedit/loop/stops.js';
import { type ActedReview, actOnReviews } from '../../selfedit/reviews/act.js';
import type { LiveAsker } from '../../selfedit/reviews/shadow.js';
import type { Models } from './models.js';
import { loopParts, seedOf } from './prepare.js';
import { measuredWith } from './prompts.js';
import { currentPrompt, type Stores, type Workspace } from './workspace.js';

/** What acting on approvals came to. */
export type ReviewRun = {
  readonly run_id: string;
  readonly seed: number;
  readonly status: 'done' | 'stopped_budget' | 'stopped_time' | 'stopped_provider';
  /** Why it stopped, when it did; what is left is done by the next one. */
  readonly stopped: string | null;
  readonly reviews: readonly ActedReview[];
  readonly audit: AuditReport | null;
  readonly notes: readonly string[];
  readonly calls: number;
  readonly usd: number;
};

export interface ActOptions {
  readonly models: Models;
  readonly redact: Redact;
  readonly seed?: number | undefined;
  readonly budgetUsd: number;
  readonly onProgress: (progress: LoopProgress) => void;
}

/**
 * Does what humans have approved (spec 08 §24.10), as a run of its own; null when nothing is to be done. One that was broken
 * off is gone on with: its pairs are not paid for twice. The caller holds the lock of runs.
 */
export async function actOnApproved(
  space: Workspace,
  stores: Stores,
  { models, redact, seed, budgetUsd, onProgress }: ActOptions,
): Promise<ReviewRun | null> {
  const { config, promptId, paths } = space;
  if (stores.reviews.toDo(promptId).length === 0) return null;
  const start = currentPrompt(space);
  const mark = `${promptId}-review-`;
  const earlier = stores.runs
    .latest(promptId, LATEST)
    .find(({ run_id, status }) => run_id.startsWith(mark) && status !== 'done');
  const drawn = earlier?.seed ?? seedOf(seed);
  const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  const runId = earlier?.run_id ?? `${mark}${stamp}-${drawn}`;
  const spent = earlier?.spent_usd ?? 0;
  const parts = await loopParts(space, stores, {
    models,
    artefacts: artefactsIn(paths.run(runId), redact),
    remainingUsd: () => budgetUsd + spent - (stores.runs.run(runId)?.spent_usd ?? 0),
    onProgress,
  });
  stores.runs.begin({
    run_id: runId,
    prompt_id: promptId,
    seed: drawn,
    config_sha256: sha256(JSON.stringify(config)),
    budget_usd: budgetUsd + spent,
  });
  stores.ledger.closeOpen(runId);
  stores.shadow.cleanUp(config.retention_days);
  const settings: LoopSettings = {
    runId,
    seed: drawn,
    iterations: 0,
    force: false,
    hasSentinels: true,
    hasPowerCheck: true,
    hasSearch: false,
    tieBreak: 'cost',
    confirmLimit: config.confirm_target,
    budgetUsd: budgetUsd + spent,
  };
  const context = new RunContext(parts, settings, earlier !== undefined);
  const acted: ActedReview[] = [];
  const tail = await measuredWith(promptId);
  const asker: LiveAsker = {
    model: models.live.model,
    ask: (prompt, question) => models.live.ask(withTail(prompt, tail), question),
    worstCaseUsd: (prompt, question) => models.live.worstCaseUsd(withTail(prompt, tail), question),
  };
  const live = { asker, store: stores.shadow, redact };
  let ending: Pick<ReviewRun, 'status' | 'stopped' | 'audit'>;
  try {
    await actOnReviews(context, live, (one) => acted.push(one));
    const reports = acted.flatMap(({ report }) => report ?? []);
    ending = { status: 'done', stopped: null, audit: await auditAfter(context, start, reports) };
  } catch (error) {
    context.measurer.settle();
    ending = { ...stopOf(error), audit: null };
  }
  stores.runs.end(runId, ending.status);
  const { calls, spent_usd: usd } = stores.runs.run(runId) ?? { calls: 0, spent_usd: 0 };
  const run = { run_id: runId, seed: drawn, ...ending, reviews: acted, notes: context.notes, calls, usd };
  parts.artefacts.write('report.json', run);
  return run;
}

const LATEST = 50;

/** How a run that was broken off ends. @throws what nobody expects */
function stopOf(error: unknown): Pick<ReviewRun, 'status' | 'stopped'> {
  if (error instanceof ProviderOutage) {
    return { status: 'stopped_provider', stopped: `the provider failed (${error.kind}): ${error.message}` };
  }
  if (!(error instanceof LimitStop)) throw error;
  return { status: error.limit === 'budget' ? 'stopped_budget' : 'stopped_time', stopped: error.message };
}

/** The run for people. */
export function reviewRunText({ reviews, stopped, calls, usd, notes }: ReviewRun): string {
  const lines = [
    ...reviews.map(({ review_id, edit_id, kind, verdict, reason }) =>
      [`review ${review_id}, ${edit_id}`, `  ${kind}: ${verdict}`, `  ${reason}`].join('\n'),
    ),
    ...(stopped === null ? [] : [`stopped: ${stopped}`]),
    ...notes,
    `${calls} calls, ${usd.toFixed(4)} USD`,
  ];
  return `${lines.join('\n')}\n`;
}
