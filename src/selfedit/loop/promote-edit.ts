import { judgeSegments } from '../gate/segments.js';
import { atMost, type Check, unless } from '../guards/check.js';
import type { Edit } from '../prompt/edit.js';
import type { CurrentPrompt } from '../registry/registry.js';
import type { BookedTest } from '../store/ledger-store.js';
import type { PairRow } from '../store/run-store.js';
import { testimonyOf } from './promotion-meta.js';
import type { ConfirmReport, SentinelReport } from './report.js';
import type { Ending, RunContext } from './run-context.js';
import { sentinels } from './sentinels.js';
import { segmentResults } from './units.js';

/** A confirmation that was passed. */
export interface PassedTest {
  readonly booked: BookedTest;
  /** All pairs that count, for the segment guard. */
  readonly pairs: readonly PairRow[];
  readonly report: ConfirmReport;
  readonly checks: readonly Check[];
}

/** Stages 3 and 4 for an edit that passed its test: segments, sentinels, compare-and-swap (spec 08 §24.2). */
export async function guardAndPromote(
  context: RunContext,
  edit: Edit,
  { booked, pairs, report, checks: earlier }: PassedTest,
  current: CurrentPrompt,
  candidate: string,
): Promise<Ending> {
  const { parts, settings } = context;
  const checks = [...earlier];
  const segments = judgeSegments(segmentResults(pairs), parts.config);
  const blocked = segments.filter(({ status }) => status === 'blocked').map(({ segment }) => segment);
  checks.push(atMost('segments', blocked.length, 0));
  let guarded: SentinelReport | null = null;
  const notPromoted = (verdict: Ending['verdict'], reason: string): Ending => {
    parts.ledger.settle(booked, 'not_promoted');
    const decision = verdict === 'invalid_run' ? 'reject' : 'near_miss';
    return {
      stage: 'guard',
      verdict,
      reason,
      checks,
      confirm: report,
      segments,
      sentinels: guarded,
      decision,
    };
  };
  if (blocked.length > 0) return notPromoted('segment_regression', `worse in ${blocked.join(', ')}`);

  if (settings.hasSentinels) {
    context.measurer.begin('sentinels', edit.edit_id);
    guarded = await sentinels(context, current, candidate);
    const { lost, unknown, sentinels: count } = guarded;
    checks.push(atMost('sentinels', lost.length, 0));
    if (lost.length > 0) {
      return notPromoted('sentinel_regression', `lost ${lost.length} of ${count} sentinels`);
    }
    if (unknown.length > parts.config.max_error_share * parts.cases.dev.length) {
      checks[checks.length - 1] = unless('sentinels', `${unknown.length} gave no answer`);
      return notPromoted(
        'invalid_run',
        `${unknown.length} of ${parts.cases.dev.length} dev cases gave no answer`,
      );
    }
  }

  const swap = await parts.registry.promote(current, candidate, {
    hypothesis: edit.hypothesis,
    edit_id: edit.edit_id,
    run_id: settings.runId,
    seed: settings.seed,
    epoch: booked.epoch,
    alpha: booked.alpha,
    wins: report.wins,
    losses: report.losses,
    n: report.n,
    segments,
    ...testimonyOf(context, edit, report),
  });
  checks.push(unless('swap', swap.ok ? null : swap.detail));
  parts.ledger.settle(booked, swap.ok ? 'promoted' : 'not_promoted');
  const all = { checks, confirm: report, segments, sentinels: guarded };
  if (!swap.ok) return { stage: 'promote', verdict: 'stale_base', reason: swap.detail, ...all };
  const reason = `${report.wins} wins, ${report.losses} losses in ${report.n} pairs`;
  return { stage: 'promote', verdict: 'promote', reason, version: swap.version, ...all };
}
