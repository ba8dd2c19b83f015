import { unnamedPolarityChanges } from '../guards/polarity-lint.js';
import { confirmEdit } from '../loop/confirm-edit.js';
import type { Proposal } from '../loop/parts.js';
import { storeProposals } from '../loop/proposals.js';
import type { EditReport } from '../loop/report.js';
import type { RunContext } from '../loop/run-context.js';
import { isFrozen } from '../loop/run-loop.js';
import { netNeeded, screen } from '../loop/screen.js';
import { applyEdit, type Edit } from '../prompt/edit.js';
import type { CurrentPrompt } from '../registry/registry.js';
import type { EditOrigin, ReviewRow } from '../store/review-store.js';
import type { ShadowStore } from '../store/shadow-store.js';
import { approvalProblem } from './approval.js';
import { extend } from './extend.js';
import { type LiveAsker, runShadow, type ShadowSummary } from './shadow.js';

/** What was done about one approval. */
export type ActedReview = {
  readonly review_id: number;
  readonly edit_id: string;
  readonly kind: 'extend' | 'shadow';
  readonly verdict: string;
  readonly reason: string;
  /** Nothing more will be done about it. */
  readonly is_final: boolean;
  readonly report: EditReport | null;
  readonly shadow: ShadowSummary | null;
};

/** What the shadow needs beside the run. */
export interface LiveParts {
  readonly asker: LiveAsker;
  readonly store: ShadowStore;
  readonly redact: (text: string) => string;
}

/** Iteration under which edits of reviews are kept. */
const OF_REVIEWS = 0;

/**
 * Acts on what humans have approved, oldest first (spec 08 §24.10): more evidence for a near miss, a test for an edit whose
 * change of polarity was confirmed, a candidate in the shadow.
 *
 * @param onActed told of each as soon as it is on the disk
 * @throws LimitStop, ProviderOutage: the rest is done by the next run
 */
export async function actOnReviews(
  context: RunContext,
  live: LiveParts,
  onActed: (acted: ActedReview) => void,
): Promise<void> {
  const { reviews, promptId } = context.parts;
  for (const review of reviews.toDo(promptId)) {
    const origin = reviews.origin(review, context.settings.runId);
    const acted = await actOn(context, review, origin, live);
    reviews.note({
      review_id: acted.review_id,
      run_id: context.settings.runId,
      kind: acted.kind,
      verdict: acted.verdict,
      reason: acted.reason,
      is_final: acted.is_final ? 1 : 0,
      log_e: acted.report?.confirm?.log_e ?? 0,
      wins: acted.report?.confirm?.wins ?? 0,
      losses: acted.report?.confirm?.losses ?? 0,
      n: acted.report?.confirm?.n ?? 0,
    });
    onActed(acted);
  }
}

async function actOn(
  context: RunContext,
  review: ReviewRow,
  origin: EditOrigin | null,
  live: LiveParts,
): Promise<ActedReview> {
  const { parts } = context;
  const kind = review.state === 'approved_shadow' ? 'shadow' : 'extend';
  const end = (verdict: string, reason: string, more: Partial<ActedReview> = {}): ActedReview => ({
    review_id: review.review_id,
    edit_id: review.edit_id,
    kind,
    verdict,
    reason,
    is_final: true,
    report: null,
    shadow: null,
    ...more,
  });
  const current = parts.registry.current();
  if (current === null) return end('stale_base', 'there is no usable current version', { is_final: false });
  const meta = parts.registry.meta(current.version);
  if (meta?.edit_id === review.edit_id) return end('promote', `it is version ${current.version} already`);
  const problem = approvalProblem(review, origin, parts);
  if (origin === null || problem !== null) return end('refused', problem ?? 'its edit is not in the store');
  const { edit } = origin;
  if (edit.base_sha256 !== current.sha256) {
    const reason = `it was judged on version ${edit.base_version}, and version ${current.version} is current`;
    return end('stale_base', reason);
  }
  const applied = applyEdit(current.text, edit.ops);
  if (!applied.ok) return end('refused', applied.problem);
  if (kind === 'shadow') {
    const shadow = await runShadow(context, review, applied.text, current.version, live);
    const reason = shadowLine(shadow);
    return shadow.is_unfit
      ? end('broke_contract', reason, { shadow })
      : end('watching', reason, { shadow, is_final: false });
  }
  if (isFrozen(parts)) {
    return end('frozen', 'promotions wait for the review of the audit', { is_final: false });
  }
  if (review.kind === 'polarity') {
    const report = await judgeAnew(context, review, edit, applied.text, current);
    const isOver = !NOT_YET.has(report.verdict);
    return end(report.verdict, report.reason, { report, is_final: isOver });
  }
  const extension = await extend(context, review, origin, current);
  if (extension.kind === 'needs_cases') {
    const reason = `${extension.have} confirm cases are new to it, at least ${extension.need} are needed`;
    return end('needs_cases', reason, { is_final: false });
  }
  const proposal: Proposal = { edit, label: null };
  storeProposals(context, OF_REVIEWS, [proposal]);
  const report = context.finish(proposal, OF_REVIEWS, extension.ending);
  return end(report.verdict, report.reason, { report });
}

/** Ends that more cases, budget or another epoch may change. */
const NOT_YET: ReadonlySet<string> = new Set(['underpowered', 'infeasible', 'epoch_closed', 'invalid_run']);

/**
 * An edit whose change of polarity a human wants goes the way of any other from the screen on; its hypothesis says so, which
 * is what the lint asks for (spec 08 §24.7).
 */
async function judgeAnew(
  context: RunContext,
  { review_id, reviewer }: ReviewRow,
  held: Edit,
  candidate: string,
  current: CurrentPrompt,
): Promise<EditReport> {
  const { cases, config } = context.parts;
  const words = unnamedPolarityChanges(current.text, candidate, held.hypothesis).join(', ');
  const edit: Edit = {
    ...held,
    hypothesis: `${held.hypothesis} (review ${review_id}: ${reviewer ?? ''} wants the change of ${words})`,
  };
  const proposal: Proposal = { edit, label: null };
  storeProposals(context, OF_REVIEWS, [proposal]);
  context.demand(context.worstCaseUsd([current.text, candidate], cases.dev));
  const screened = await screen(context, current, proposal, candidate);
  const { wins, losses } = screened.tally;
  const needed = netNeeded(cases.dev.length, config.screen_min_net_share);
  if (screened.errorShare > config.max_error_share || wins - losses < needed) {
    const isInvalid = screened.errorShare > config.max_error_share;
    return context.finish(proposal, OF_REVIEWS, {
      stage: 'screen',
      verdict: isInvalid ? 'invalid_run' : 'screened_out',
      reason: `${wins} wins, ${losses} losses on dev cases; a net of ${needed} is needed`,
      checks: [{ name: 'screen', passed: false, value: wins - losses, threshold: needed }],
      screen: screened.tally,
    });
  }
  return confirmEdit(context, screened, OF_REVIEWS);
}

/** The shadow in one line. */
export function shadowLine({ answers, broken, same, labelled, wins, losses }: ShadowSummary): string {
  return `${answers} answers, ${same} as the prompt in use, ${broken} without their form; ${labelled} labelled: ${wins} wins, ${losses} losses`;
}
