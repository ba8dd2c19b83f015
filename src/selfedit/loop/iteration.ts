import { blockedReason } from '../guards/blocked-reason.js';
import { atMost, type Check } from '../guards/check.js';
import { duplicateProblem } from '../guards/duplicate.js';
import type { CurrentPrompt } from '../registry/registry.js';
import { confirmEdit } from './confirm-edit.js';
import { mergeOf } from './merge.js';
import { bestOn, dominated } from './pareto.js';
import type { Proposal } from './parts.js';
import { judgedEdits, proposalsOf, storeProposals } from './proposals.js';
import type { EditReport } from './report.js';
import type { RunContext } from './run-context.js';
import { bestFirst, netNeeded, type Screened, screen } from './screen.js';
import type { StoredEdit } from './stored-edits.js';

export interface IterationResult {
  readonly reports: readonly EditReport[];
  readonly isExhausted: boolean;
}

/** A screened edit with the checks that it has passed. */
interface Survivor {
  readonly one: Screened;
  readonly checks: readonly Check[];
}

/** What the screening of an iteration has come to so far. */
interface Screening {
  readonly reports: EditReport[];
  /** Net wins are enough. */
  readonly survivors: Survivor[];
  /** All that were run on every dev case, good or not. */
  readonly complete: Screened[];
}

/** One round of the loop: propose, static guards, screen, merge, confirm best first (spec 08 §24.2, §24.5). */
export async function runIteration(context: RunContext, iteration: number): Promise<IterationResult> {
  const { parts, settings } = context;
  const folder = `iteration-${String(iteration).padStart(2, '0')}`;
  const { base, proposals, finished, isExhausted } = await proposalsOf(context, iteration, folder);
  parts.artefacts.writeText(`${folder}/prompt-before.md`, base.text);
  const screening: Screening = {
    reports: finished.flatMap(({ report }) => report ?? []),
    survivors: [],
    complete: [],
  };
  const note = (isPartial: boolean): void =>
    parts.artefacts.write(`${folder}/screen.json`, screenFile(context, base, screening), isPartial);
  await screenAll(context, iteration, base, proposals, screening, note);
  if (settings.hasSearch) {
    await screenMerge(context, iteration, base, { proposals, finished }, screening);
    dropDominated(context, iteration, screening);
  }
  note(false);
  await confirmAll(context, iteration, base, screening, folder);
  parts.artefacts.write(`${folder}/decision.json`, { iteration, edits: screening.reports });
  parts.artefacts.writeText(`${folder}/prompt-after.md`, parts.registry.current()?.text ?? '');
  return { reports: screening.reports, isExhausted };
}

async function screenAll(
  context: RunContext,
  iteration: number,
  base: CurrentPrompt,
  proposals: readonly Proposal[],
  screening: Screening,
  note: (isPartial: boolean) => void,
): Promise<void> {
  const judged = judgedEdits(context);
  for (const proposal of proposals) {
    const { edit } = proposal;
    // A merge repeats its own parts, which is what it is for.
    const duplicate = edit.merged_from ? undefined : () => duplicateProblem(edit, iteration, judged);
    const outcome = await context.judgeStatically(edit, base.text, duplicate);
    judged.push({ edit, iteration, isRejected: outcome.candidate === null });
    if (outcome.candidate === null) {
      const by = outcome.blockedBy;
      screening.reports.push(
        context.finish(proposal, iteration, {
          stage: 'static',
          verdict: `blocked_${by?.name ?? 'applies'}`,
          reason: by === null ? 'it does not apply' : blockedReason(by),
          checks: outcome.checks,
        }),
      );
      continue;
    }
    await screenOne(context, iteration, base, proposal, outcome.candidate, outcome.checks, screening);
    note(true);
  }
}

async function screenOne(
  context: RunContext,
  iteration: number,
  base: CurrentPrompt,
  proposal: Proposal,
  candidate: string,
  checks: readonly Check[],
  { reports, survivors, complete }: Screening,
): Promise<void> {
  const { dev } = context.parts.cases;
  const { max_error_share: mostErrors, screen_min_net_share: share } = context.parts.config;
  context.demand(context.worstCaseUsd([base.text, candidate], dev));
  context.say(`screening ${proposal.label ?? proposal.edit.edit_id} on ${dev.length} dev cases`);
  const one = await screen(context, base, proposal, candidate);
  const { wins, losses, n } = one.tally;
  const needed = netNeeded(dev.length, share);
  const check: Check = {
    name: 'screen',
    passed: wins - losses >= needed,
    value: wins - losses,
    threshold: needed,
  };
  if (one.errorShare > mostErrors) {
    reports.push(
      context.finish(proposal, iteration, {
        stage: 'screen',
        verdict: 'invalid_run',
        reason: `${(one.errorShare * 100).toFixed(0)} % of the dev pairs had an error`,
        checks: [...checks, atMost('screen', one.errorShare, mostErrors)],
        screen: one.tally,
      }),
    );
    return;
  }
  if (!one.isDropped) complete.push(one);
  if (check.passed && !one.isDropped) {
    survivors.push({ one, checks: [...checks, check] });
    return;
  }
  const reason = one.isDropped
    ? `dropped after ${n} dev cases: ${wins} wins, ${losses} losses`
    : `${wins} wins, ${losses} losses on dev cases; a net of ${needed} is needed`;
  reports.push(
    context.finish(proposal, iteration, {
      stage: 'screen',
      verdict: 'screened_out',
      reason,
      checks: [...checks, { ...check, passed: false }],
      screen: one.tally,
    }),
  );
}

/** Two edits that complement each other make a third one, at most one in an iteration. */
async function screenMerge(
  context: RunContext,
  iteration: number,
  base: CurrentPrompt,
  {
    proposals,
    finished,
  }: { readonly proposals: readonly Proposal[]; readonly finished: readonly StoredEdit[] },
  screening: Screening,
): Promise<void> {
  const all = [...proposals, ...finished.map(({ proposal }) => proposal)];
  const isLater = finished.some(({ report }) => report?.stage !== 'static' && report?.stage !== 'screen');
  if (isLater || all.some(({ edit }) => edit.merged_from !== undefined)) return;
  const earlier = await recalled(context, base, finished);
  const front = bestOn([...screening.complete, ...earlier]);
  const able = [...screening.complete, ...earlier].filter(
    ({ proposal }) => (front.get(proposal.edit.edit_id) ?? 0) > 0,
  );
  const merged = mergeOf(able, base, context.parts.promptId);
  if (merged === null) return;
  storeProposals(context, iteration, [merged], all.length);
  await screenAll(context, iteration, base, [merged], screening, () => undefined);
}

/** Edits that were screened out before an interruption, from their stored pairs: without a call. */
async function recalled(
  context: RunContext,
  base: CurrentPrompt,
  finished: readonly StoredEdit[],
): Promise<Screened[]> {
  const screened: Screened[] = [];
  for (const { proposal, report } of finished) {
    const isComplete = report?.screen?.n === context.parts.cases.dev.length;
    if (report?.verdict !== 'screened_out' || !isComplete) continue;
    const { candidate } = await context.judgeStatically(proposal.edit, base.text);
    if (candidate !== null) screened.push(await screen(context, base, proposal, candidate));
  }
  return screened;
}

/** What another survivor beats in everything does not reach the paid test. */
function dropDominated(context: RunContext, iteration: number, { reports, survivors }: Screening): void {
  const beaten = dominated(survivors.map(({ one }) => one));
  for (const { one, checks } of [...survivors]) {
    const winner = beaten.get(one.proposal.edit.edit_id);
    if (winner === undefined) continue;
    survivors.splice(
      survivors.findIndex((survivor) => survivor.one === one),
      1,
    );
    reports.push(
      context.finish(one.proposal, iteration, {
        stage: 'screen',
        verdict: 'screened_out',
        reason: `${winner} is at least as good in every segment and in length, and better in one`,
        checks: checks.map((check) => (check.name === 'screen' ? { ...check, passed: false } : check)),
        screen: one.tally,
      }),
    );
  }
}

async function confirmAll(
  context: RunContext,
  iteration: number,
  base: CurrentPrompt,
  { reports, survivors }: Screening,
  folder: string,
): Promise<void> {
  const { artefacts } = context.parts;
  const promoted: Proposal[] = [];
  const screened = survivors.map(({ one }) => one);
  for (const one of bestFirst(screened, base.text, context.settings.tieBreak)) {
    const { edit } = one.proposal;
    const holder = promoted.find((other) => shareParts(other, one.proposal));
    const report =
      holder === undefined
        ? await confirmEdit(context, one, iteration, (soFar) =>
            artefacts.write(`${folder}/confirm-${edit.edit_id}.json`, soFar, true),
          )
        : context.finish(one.proposal, iteration, {
            stage: 'static',
            verdict: 'blocked_duplicate',
            reason: `the current version holds it, or a part of it, by ${holder.edit.edit_id}`,
            checks: [],
            screen: one.tally,
          });
    artefacts.write(`${folder}/confirm-${edit.edit_id}.json`, report);
    if (report.verdict === 'promote') promoted.push(one.proposal);
    reports.push(report);
  }
}

/** True when one of two edits is a part of the other. */
function shareParts({ edit: a }: Proposal, { edit: b }: Proposal): boolean {
  return a.merged_from?.includes(b.edit_id) === true || b.merged_from?.includes(a.edit_id) === true;
}

function screenFile({ parts }: RunContext, base: CurrentPrompt, { reports, survivors, complete }: Screening) {
  const front = bestOn(complete);
  const row = ({ proposal, tally, isDropped, promptTokens, outputTokens }: Screened) => ({
    edit_id: proposal.edit.edit_id,
    label: proposal.label,
    merged_from: proposal.edit.merged_from ?? null,
    ...tally,
    net: tally.wins - tally.losses,
    dropped: isDropped,
    best_on_cases: front.get(proposal.edit.edit_id) ?? 0,
    prompt_tokens: promptTokens,
    output_tokens: outputTokens,
  });
  return {
    base_version: base.version,
    dev_cases: parts.cases.dev.length,
    net_needed: netNeeded(parts.cases.dev.length, parts.config.screen_min_net_share),
    screened: complete.map(row),
    to_confirm: survivors.map(({ one }) => one.proposal.edit.edit_id),
    ended: reports.map(({ edit_id, verdict, reason, screen: tally }) => ({
      edit_id,
      verdict,
      reason,
      screen: tally,
    })),
  };
}
