import { confirmUnits } from '../cases/case-set.js';
import { confirmationPower, fewestWins, ratesFromScreen } from '../gate/power.js';
import { blockedReason } from '../guards/blocked-reason.js';
import { type Check, rounded, unless } from '../guards/check.js';
import { sha256 } from '../hash.js';
import type { CurrentPrompt } from '../registry/registry.js';
import type { BookedTest } from '../store/ledger-store.js';
import { type ConfirmOutcome, confirm } from './confirm.js';
import { guardAndPromote } from './promote-edit.js';
import type { EditReport } from './report.js';
import type { Ending, RunContext } from './run-context.js';
import { netNeeded, type Screened } from './screen.js';
import { sentinelCostUsd } from './sentinels.js';

const LEAST_POWER = 0.5;
const NEAR_MISS_P = 0.2;

/**
 * Stages 2 to 4 for one screened edit (spec 08 §24.2): confirm, segments and sentinels, promote.
 *
 * @param onLook told the figures at each look
 */
export async function confirmEdit(
  context: RunContext,
  screened: Screened,
  iteration: number,
  onLook: (soFar: object) => void = () => undefined,
): Promise<EditReport> {
  const { parts, settings } = context;
  const { proposal, tally } = screened;
  const end = (ending: Ending): EditReport =>
    context.finish(proposal, iteration, { screen: tally, ...ending });
  const current = parts.registry.current();
  if (current === null) {
    return end({ stage: 'confirm', verdict: 'stale_base', reason: 'no usable current version', checks: [] });
  }
  const promoted = await promotedBefore(context, screened, current);
  if (promoted) return end(promoted);

  const again = await context.judgeStatically(proposal.edit, current.text);
  if (again.candidate === null) {
    const by = again.blockedBy;
    return end({
      stage: 'static',
      verdict: `blocked_${by?.name ?? 'applies'}`,
      reason: `on version ${current.version}: ${by === null ? 'it does not apply' : blockedReason(by)}`,
      checks: again.checks,
    });
  }
  const prepared = prepare(context, screened, again.checks, current, again.candidate);
  if (prepared.ending !== null) return end(prepared.ending);
  const { booked, units, power, checks } = prepared;

  context.say(`level ${booked.alpha} is booked for ${proposal.label ?? proposal.edit.edit_id}`);
  parts.runs.updateEdit(settings.runId, proposal.edit.edit_id, {
    stage: 'confirm',
    candidate_sha256: sha256(again.candidate),
  });
  const outcome = await measure(
    context,
    screened,
    { booked, units, power },
    current,
    again.candidate,
    onLook,
  );
  return end(await decide(context, screened, { booked, outcome, checks }, current, again.candidate));
}

interface Prepared {
  readonly ending: null;
  readonly booked: BookedTest;
  readonly units: ReturnType<typeof confirmUnits>;
  readonly power: number;
  readonly checks: readonly Check[];
}

/** What can be said before anything is spent; books the level. @throws LimitStop */
function prepare(
  context: RunContext,
  screened: Screened,
  earlier: readonly Check[],
  current: CurrentPrompt,
  candidate: string,
): Prepared | { readonly ending: Ending } {
  const { proposal, tally, baseFailRate } = screened;
  const { parts, settings } = context;
  const { config, ledger } = parts;
  const { edit_id } = proposal.edit;
  const limit = Math.min(config.confirm_target, settings.confirmLimit);
  const units = confirmUnits(parts.cases.confirm, settings.seed, limit);
  const before = ledger.booked(edit_id, settings.runId, config);
  const alpha = before?.alpha ?? ledger.nextAlpha(config);
  const stop = (verdict: Ending['verdict'], reason: string, check: Check): { ending: Ending } => ({
    ending: { stage: 'confirm', verdict, reason, checks: [...earlier, check] },
  });
  if (alpha === null) {
    const reason = `all ${config.confirmations_per_epoch} tests of epoch ${ledger.epoch} are used`;
    return stop('epoch_closed', reason, unless('plan', reason));
  }
  const rules = ledger.rules(config);
  const needed = fewestWins(alpha, rules.early_alpha_share);
  const failing = Math.round(baseFailRate * units.length);
  const isFeasible = units.length >= config.confirm_min && failing >= needed;
  const plan: Check = { name: 'plan', passed: isFeasible, value: failing, threshold: needed };
  if (!isFeasible) {
    const reason =
      units.length < config.confirm_min
        ? `${units.length} confirm cases are too few, at least ${config.confirm_min} are needed`
        : `the current prompt fails on about ${failing} confirm cases, fewer than the ${needed} wins a pass needs`;
    return stop('infeasible', reason, plan);
  }
  const screenCheck: Check = {
    name: 'screen',
    passed: true,
    value: tally.wins - tally.losses,
    threshold: netNeeded(parts.cases.dev.length, config.screen_min_net_share),
  };
  const power = powerOf(context, screened, units.length, alpha, rules.early_alpha_share);
  if (power < LEAST_POWER && settings.hasPowerCheck && !settings.force) {
    const reason = `the power is ${power.toFixed(2)} with ${units.length} cases; more cases, or --force`;
    const check: Check = { name: 'confirm', passed: false, value: rounded(power), threshold: LEAST_POWER };
    return {
      ending: {
        stage: 'confirm',
        verdict: 'underpowered',
        reason,
        checks: [...earlier, plan, screenCheck, check],
      },
    };
  }
  // The sentinels of stage 3 belong to what may not be broken off: their cost is reserved with the test's.
  const sentinelCost = settings.hasSentinels ? sentinelCostUsd(context, current.text, candidate) : 0;
  const cost = context.worstCaseUsd([current.text, candidate], units.flat()) + sentinelCost;
  context.demand(cost);
  const booked = before ?? ledger.book(edit_id, settings.runId, config);
  if (booked === null) return stop('epoch_closed', 'another run used the last test of the epoch', plan);
  return { ending: null, booked, units, power, checks: [...earlier, plan, screenCheck] };
}

async function measure(
  context: RunContext,
  { proposal }: Screened,
  { booked, units, power }: Pick<Prepared, 'booked' | 'units' | 'power'>,
  current: CurrentPrompt,
  candidate: string,
  onLook: (soFar: object) => void = () => undefined,
): Promise<ConfirmOutcome> {
  const { parts, settings, measurer } = context;
  const { edit_id } = proposal.edit;
  const name = proposal.label ?? edit_id;
  measurer.begin('confirm', edit_id);
  const outcome = await confirm({
    units,
    power,
    replicates: context.replicates,
    alpha: booked.alpha,
    epoch: booked.epoch,
    rules: booked.rules,
    seed: settings.seed,
    parallelism: parts.config.parallelism,
    known: parts.runs.pairs(settings.runId, edit_id, 'confirm'),
    makePair: async (testCase, replicate) => {
      const pair = await measurer.pair(
        testCase,
        replicate,
        settings.seed,
        () => measurer.fresh(current.text, testCase, replicate),
        () => measurer.fresh(candidate, testCase, replicate),
      );
      measurer.keep(edit_id, 'confirm', pair);
      return pair;
    },
    onLook: ({ n, wins, losses, looks }) => {
      measurer.settle();
      onLook({ edit_id, alpha: booked.alpha, planned: units.length, n, wins, losses, looks });
      context.say(`confirming ${name}: ${wins} wins, ${losses} losses in ${n} of ${units.length}`);
    },
  });
  measurer.settle();
  const used = [...new Set(outcome.pairs.map(({ case_id }) => case_id))];
  parts.runs.expose(parts.promptId, booked.epoch, edit_id, used);
  return outcome;
}

interface Result {
  readonly booked: BookedTest;
  readonly outcome: ConfirmOutcome;
  readonly checks: readonly Check[];
}

async function decide(
  context: RunContext,
  { proposal }: Screened,
  { booked, outcome, checks: earlier }: Result,
  current: CurrentPrompt,
  candidate: string,
): Promise<Ending> {
  const { parts } = context;
  const { confirmation, report } = outcome;
  const verdict = report.verdict;
  const confirmCheck: Check = {
    name: 'confirm',
    passed: verdict === 'stat_pass',
    value: rounded(report.p_sign),
    threshold: rounded((1 - booked.rules.early_alpha_share) * booked.alpha),
  };
  const checks = [...earlier, confirmCheck];
  if (verdict !== 'stat_pass') {
    parts.ledger.settle(booked, confirmation.isVoid ? 'void' : 'not_promoted');
    const isNear = verdict === 'inconclusive' && report.wins > report.losses && report.p_sign <= NEAR_MISS_P;
    const reason = reasonOf(report, confirmation.isVoid);
    return {
      stage: 'confirm',
      verdict,
      reason,
      checks,
      confirm: report,
      decision: isNear ? 'near_miss' : 'reject',
    };
  }

  const evidence = { booked, pairs: outcome.pairs, report, checks };
  return guardAndPromote(context, proposal.edit, evidence, current, candidate);
}

/**
 * The edit is current already: an interruption came between its promotion and its record. Its test is judged once more from
 * the stored pairs, without a call.
 */
async function promotedBefore(
  context: RunContext,
  screened: Screened,
  current: CurrentPrompt,
): Promise<Ending | null> {
  const { parts, settings } = context;
  const { registry, ledger, config } = parts;
  const { edit_id } = screened.proposal.edit;
  const meta = registry.meta(current.version);
  if (!context.isResumed || meta?.edit_id !== edit_id || meta.run_id !== settings.runId) return null;
  const { wins = 0, losses = 0, n = 0, segments = [] } = meta;
  const ending: Ending = {
    stage: 'promote',
    verdict: 'promote',
    reason: `${wins} wins, ${losses} losses in ${n} pairs`,
    checks: [unless('swap', null)],
    segments,
    version: current.version,
  };
  const booked = ledger.booked(edit_id, settings.runId, config);
  if (booked === null) return ending;
  const text = registry.text(meta.parent_version ?? 0) ?? current.text;
  const parent = { version: meta.parent_version ?? 0, sha256: sha256(text), text };
  const units = confirmUnits(
    parts.cases.confirm,
    settings.seed,
    Math.min(config.confirm_target, settings.confirmLimit),
  );
  const power = powerOf(context, screened, units.length, booked.alpha, booked.rules.early_alpha_share);
  const { report } = await measure(context, screened, { booked, units, power }, parent, current.text);
  ledger.settle(booked, 'promoted');
  return { ...ending, confirm: report };
}

function powerOf(
  { parts }: RunContext,
  { tally }: Screened,
  planned: number,
  alpha: number,
  earlyShare: number,
): number {
  const rates = ratesFromScreen(tally.wins, tally.losses, parts.cases.dev.length);
  return confirmationPower(rates, planned, alpha, earlyShare);
}

function reasonOf(
  { verdict, wins, losses, n, p_sign, error_share }: ConfirmOutcome['report'],
  isVoid: boolean,
): string {
  if (verdict === 'invalid_run') {
    const level = isVoid ? 'the level is given back' : 'the level is spent';
    return `${(error_share * 100).toFixed(0)} % of the pairs had an error; ${level}`;
  }
  return `${wins} wins, ${losses} losses in ${n} pairs, p ${p_sign.toFixed(4)}`;
}
