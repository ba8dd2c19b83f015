import type { Case } from '../cases/case.js';
import { confirmUnits } from '../cases/case-set.js';
import type { PriorEvidence } from '../gate/confirmation.js';
import { blockedReason } from '../guards/blocked-reason.js';
import { type Check, rounded } from '../guards/check.js';
import { confirm } from '../loop/confirm.js';
import { guardAndPromote } from '../loop/promote-edit.js';
import type { ConfirmReport, EditReport } from '../loop/report.js';
import type { Ending, RunContext } from '../loop/run-context.js';
import { sentinelCostUsd } from '../loop/sentinels.js';
import type { CurrentPrompt } from '../registry/registry.js';
import type { BookedTest } from '../store/ledger-store.js';
import type { EditOrigin, ReviewRow } from '../store/review-store.js';
import type { PairRow } from '../store/run-store.js';

/** What an extension came to; null: there are too few fresh cases, and nothing was spent. */
export type Extension =
  | { readonly kind: 'ended'; readonly ending: Ending; readonly own: ConfirmReport | null }
  | { readonly kind: 'needs_cases'; readonly have: number; readonly need: number };

/**
 * Buys fresh confirm cases for a near miss (spec 08 §24.10): none that this edit has met, at the level of its first test,
 * whose sequential part holds at any time. No new level is spent.
 *
 * @throws LimitStop, ProviderOutage
 */
export async function extend(
  context: RunContext,
  review: ReviewRow,
  { runId, edit, report: earlier }: EditOrigin,
  current: CurrentPrompt,
): Promise<Extension> {
  const { parts, settings, measurer } = context;
  const { ledger, reviews, runs, config, promptId } = parts;
  const end = (ending: Ending, own: ConfirmReport | null = null): Extension => ({
    kind: 'ended',
    ending,
    own,
  });
  const booked = ledger.testOf(edit.edit_id, runId, config);
  const first = earlier.confirm;
  if (booked === null || first === null) {
    return end({ stage: 'confirm', verdict: 'infeasible', reason: 'it was never confirmed', checks: [] });
  }
  const again = await context.judgeStatically(edit, current.text);
  if (again.candidate === null) {
    const by = again.blockedBy;
    const verdict = `blocked_${by?.name ?? 'applies'}` as const;
    const reason = by === null ? 'it does not apply' : blockedReason(by);
    return end({ stage: 'static', verdict, reason, checks: again.checks });
  }
  const candidate = again.candidate;
  const met = reviews.heldOutPairs(edit.edit_id);
  const done = reviews.extensions(promptId, edit.edit_id);
  const ended = new Set(done.map(({ run_id }) => run_id));
  // Pairs of an extension that was broken off belong to this one: nothing is paid for twice, and nothing measured is left out.
  const known = met.filter(({ stage, run_id }) => stage === 'extend' && !ended.has(run_id));
  const units = freshUnits(context, met, known);
  const need = booked.rules.sample_floor;
  if (units.length < need) return { kind: 'needs_cases', have: units.length, need };

  const sentinelCost = settings.hasSentinels ? sentinelCostUsd(context, current.text, candidate) : 0;
  context.demand(context.worstCaseUsd([current.text, candidate], units.flat()) + sentinelCost);
  const prior = priorOf(earlier, done);
  measurer.begin('extend', edit.edit_id);
  const outcome = await confirm({
    units,
    power: 0,
    replicates: context.replicates,
    alpha: booked.alpha,
    epoch: booked.epoch,
    rules: booked.rules,
    prior,
    seed: settings.seed,
    parallelism: config.parallelism,
    known,
    makePair: async (testCase, replicate) => {
      const pair = await measurer.pair(
        testCase,
        replicate,
        settings.seed,
        () => measurer.fresh(current.text, testCase, replicate),
        () => measurer.fresh(candidate, testCase, replicate),
      );
      measurer.keep(edit.edit_id, 'extend', pair);
      return pair;
    },
    onLook: ({ n, wins, losses }) => {
      measurer.settle();
      context.say(`extending ${edit.edit_id}: ${wins} wins, ${losses} losses in ${n} of ${units.length}`);
    },
  });
  measurer.settle();
  const used = [...new Set(outcome.pairs.map(({ case_id }) => case_id))];
  runs.expose(promptId, ledger.epoch, edit.edit_id, used);
  const own = outcome.report;
  const checks: Check[] = [...again.checks, evidenceCheck(own, prior, booked)];
  if (own.verdict !== 'stat_pass') {
    const reason = reasonOf(own, prior, review);
    const isNear = own.verdict === 'inconclusive' && own.wins > own.losses;
    const decision = isNear ? 'near_miss' : 'reject';
    return end({ stage: 'confirm', verdict: own.verdict, reason, checks, confirm: own, decision }, own);
  }
  const before = met.filter(({ run_id, stage }) => run_id === runId && stage === 'confirm');
  const finished = met.filter(({ run_id, stage }) => stage === 'extend' && ended.has(run_id));
  const evidence = { booked, pairs: [...before, ...finished, ...outcome.pairs], report: own, checks };
  return end(await guardAndPromote(context, edit, evidence, current, candidate), own);
}

/** Units none of whose cases the edit has met, those that nobody has met first; cases of a broken-off extension come first. */
function freshUnits(
  { parts, settings }: RunContext,
  met: readonly PairRow[],
  known: readonly PairRow[],
): (readonly Case[])[] {
  const begun = new Set(known.map(({ case_id }) => case_id));
  const seen = new Set(met.map(({ case_id }) => case_id).filter((id) => !begun.has(id)));
  const uses = parts.runs.exposures(parts.promptId);
  const rank = (unit: readonly Case[]): number => {
    if (unit.some(({ case_id }) => begun.has(case_id))) return -1;
    return Math.max(...unit.map(({ case_id }) => uses.get(case_id) ?? 0));
  };
  return confirmUnits(parts.cases.confirm, settings.seed, Number.POSITIVE_INFINITY)
    .filter((unit) => unit.every(({ case_id }) => !seen.has(case_id)))
    .map((unit) => ({ unit, rank: rank(unit) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ unit }) => unit)
    .slice(0, parts.config.confirm_target);
}

/** The first test and all extensions that have ended. */
function priorOf(
  { confirm: first, stage }: EditReport,
  done: readonly {
    readonly log_e: number;
    readonly wins: number;
    readonly losses: number;
    readonly n: number;
  }[],
): PriorEvidence {
  const all = [first ?? { log_e: 0, wins: 0, losses: 0, n: 0 }, ...done];
  const total = (name: 'log_e' | 'wins' | 'losses' | 'n'): number =>
    all.reduce((sum, one) => sum + one[name], 0);
  return {
    logE: total('log_e'),
    wins: total('wins'),
    losses: total('losses'),
    n: total('n'),
    hasPassed: stage === 'guard' && first?.verdict === 'stat_pass',
  };
}

/** The product of the e-values beside what it has to reach. */
function evidenceCheck(
  { verdict, log_e }: ConfirmReport,
  { logE }: PriorEvidence,
  { alpha, rules }: BookedTest,
): Check {
  return {
    name: 'confirm',
    passed: verdict === 'stat_pass',
    value: rounded(Math.exp(log_e + logE)),
    threshold: rounded(1 / (rules.early_alpha_share * alpha)),
  };
}

function reasonOf(own: ConfirmReport, prior: PriorEvidence, { review_id }: ReviewRow): string {
  const fresh = `${own.wins} wins, ${own.losses} losses in ${own.n} fresh pairs`;
  const evidence = Math.exp(own.log_e + prior.logE).toFixed(1);
  return `review ${review_id}: ${fresh}; with those before, evidence ${evidence}`;
}
