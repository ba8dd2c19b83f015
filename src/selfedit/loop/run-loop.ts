import { atMost } from '../guards/check.js';
import { duplicateProblem, type JudgedEdit } from '../guards/duplicate.js';
import { staticChecks } from '../guards/static-checks.js';
import { sha256 } from '../hash.js';
import { meanOr0 } from '../numbers.js';
import type { CurrentPrompt } from '../registry/registry.js';
import { auditRun } from './audit-run.js';
import { baselineOf } from './baseline.js';
import { BudgetStop, confirmEdit } from './confirm-edit.js';
import { epochCost } from './epoch-cost.js';
import { ProviderOutage } from './measure.js';
import type { LoopParts, LoopSettings, Proposal } from './parts.js';
import type { AuditReport, EditReport, RunReport, RunStatus } from './report.js';
import { RunContext } from './run-context.js';
import { bestFirst, netNeeded, type Screened, screen } from './screen.js';
import { storedEdits } from './stored-edits.js';

/**
 * Runs the loop (spec 08 §24.2): propose, static guards, screen, confirm best first, guard, promote. A run whose id is known
 * goes on where it was interrupted: what is finished is not repeated, and seed, order and levels are those recorded.
 */
export async function runLoop(parts: LoopParts, settings: LoopSettings): Promise<RunReport> {
  const context = new RunContext(parts, settings, parts.runs.run(settings.runId) !== null);
  parts.runs.begin({
    run_id: settings.runId,
    prompt_id: parts.promptId,
    seed: settings.seed,
    config_sha256: sha256(JSON.stringify(parts.config)),
    budget_usd: settings.budgetUsd,
  });
  parts.ledger.closeOpen(settings.runId);
  const start = startOf(context);
  const edits: EditReport[] = [];
  let status: RunStatus = 'done';
  let stopped: string | null = null;
  let iteration = 0;
  let audit: AuditReport | null = null;
  try {
    while (iteration < settings.iterations) {
      if (isFrozen(parts)) {
        status = 'frozen';
        stopped = 'an oracle_drift review is open: promotions wait for it';
        break;
      }
      iteration += 1;
      const { reports, isExhausted } = await oneIteration(context, iteration);
      edits.push(...reports);
      parts.artefacts.write(
        'report.json',
        reportOf(context, { status, stopped, iteration, edits, audit, start }),
        true,
      );
      if (isExhausted) break;
    }
    audit = await auditAfter(context, start, edits);
  } catch (error) {
    context.measurer.settle();
    if (error instanceof ProviderOutage) {
      status = 'stopped_provider';
      stopped = `the provider failed (${error.kind}): ${error.message}`;
    } else if (error instanceof BudgetStop) {
      status = 'stopped_budget';
      stopped = error.message;
    } else {
      parts.runs.end(settings.runId, 'failed');
      throw error;
    }
    // Edits of the broken iteration that had already ended are in the store alone.
    edits.splice(
      0,
      edits.length,
      ...storedEdits(parts.runs, settings.runId).flatMap(({ report }) => report ?? []),
    );
  }
  if (status === 'stopped_budget')
    context.notes.push(`with a larger --budget: selfedit run --resume ${settings.runId}`);
  parts.runs.end(settings.runId, status);
  const report = reportOf(context, { status, stopped, iteration, edits, audit, start });
  parts.artefacts.write('report.json', report);
  return report;
}

interface IterationResult {
  readonly reports: readonly EditReport[];
  readonly isExhausted: boolean;
}

async function oneIteration(context: RunContext, iteration: number): Promise<IterationResult> {
  const { parts, settings } = context;
  const folder = `iteration-${String(iteration).padStart(2, '0')}`;
  const { base, proposals, finished, isExhausted } = await proposalsOf(context, iteration, folder);
  const reports: EditReport[] = [...finished];
  const screened: Screened[] = [];
  const judged = judgedEdits(context);
  parts.artefacts.writeText(`${folder}/prompt-before.md`, base.text);

  for (const proposal of proposals) {
    const duplicate = (): string | null => duplicateProblem(proposal.edit, iteration, judged);
    const outcome = staticChecks(proposal.edit, context.staticContext(base.text, duplicate));
    judged.push({ edit: proposal.edit, iteration, isRejected: outcome.candidate === null });
    if (outcome.candidate === null) {
      const by = outcome.blockedBy;
      reports.push(
        context.finish(proposal, iteration, {
          stage: 'static',
          verdict: `blocked_${by?.name ?? 'applies'}`,
          reason: typeof by?.value === 'string' ? by.value : `${by?.value} is more than ${by?.threshold}`,
          checks: outcome.checks,
        }),
      );
      continue;
    }
    const cost = context.worstCaseUsd([base.text, outcome.candidate], parts.cases.dev);
    if (cost > context.remainingUsd()) throw new BudgetStop(cost, context.remainingUsd());
    context.say(
      `screening ${proposal.label ?? proposal.edit.edit_id} on ${parts.cases.dev.length} dev cases`,
    );
    const one = await screen(context, base, proposal, outcome.candidate);
    const net = one.tally.wins - one.tally.losses;
    const needed = netNeeded(parts.cases.dev.length, parts.config.screen_min_net_share);
    const check = { name: 'screen', passed: net >= needed, value: net, threshold: needed } as const;
    if (one.errorShare > parts.config.max_error_share) {
      reports.push(
        context.finish(proposal, iteration, {
          stage: 'screen',
          verdict: 'invalid_run',
          reason: `${(one.errorShare * 100).toFixed(0)} % of the dev pairs had an error`,
          checks: [...outcome.checks, atMost('screen', one.errorShare, parts.config.max_error_share)],
          screen: one.tally,
        }),
      );
    } else if (net < needed) {
      reports.push(
        context.finish(proposal, iteration, {
          stage: 'screen',
          verdict: 'screened_out',
          reason: `${one.tally.wins} wins, ${one.tally.losses} losses on dev cases; a net of ${needed} is needed`,
          checks: [...outcome.checks, check],
          screen: one.tally,
        }),
      );
    } else screened.push(one);
  }
  for (const one of bestFirst(screened, base.text, settings.tieBreak)) {
    const report = await confirmEdit(context, one, iteration);
    parts.artefacts.write(`${folder}/confirm-${report.edit_id}.json`, report);
    reports.push(report);
  }
  parts.artefacts.write(`${folder}/decision.json`, { iteration, edits: reports });
  parts.artefacts.writeText(`${folder}/prompt-after.md`, parts.registry.current()?.text ?? '');
  return { reports, isExhausted };
}

/** The edits of an iteration: those of an interrupted run, or new ones from the analyzer, stored before anything else. */
async function proposalsOf(context: RunContext, iteration: number, folder: string) {
  const { parts, settings } = context;
  const stored = storedEdits(parts.runs, settings.runId, iteration);
  const first = stored[0];
  if (first !== undefined) {
    const finished = stored.flatMap(({ report }) => report ?? []);
    for (const report of finished) context.remember(report);
    const text = parts.registry.text(first.proposal.edit.base_version) ?? '';
    const base: CurrentPrompt = { version: first.proposal.edit.base_version, sha256: sha256(text), text };
    const open = stored.filter(({ report }) => report === null).map(({ proposal }) => proposal);
    return { base, proposals: open, finished, isExhausted: false };
  }
  const base = parts.registry.current();
  if (base === null) throw new Error('the registry lost its current version during the run');
  context.say(`iteration ${iteration}: asking for edits`);
  const result = await parts.propose({
    base,
    iteration,
    failures: () => context.failuresOf(base),
    feedback: context.feedback,
  });
  if (result.usage !== null) {
    const { calls, inputTokens, outputTokens, usd, estimated } = result.usage;
    const tokens = inputTokens + outputTokens;
    parts.runs.spend(settings.runId, {
      role: 'analyzer',
      model: result.model,
      calls,
      tokens,
      usd,
      estimated,
    });
  }
  parts.artefacts.write(`${folder}/analysis.json`, {
    proposals: result.proposals.map(({ edit }) => edit),
    problems: result.problems,
    usage: result.usage,
  });
  parts.artefacts.traffic(() => ({
    role: 'analyzer',
    model: result.model,
    iteration,
    edits: result.proposals.length,
    ...result.usage,
    ...result.exchange,
  }));
  context.notes.push(...result.problems.map((problem) => `iteration ${iteration}: ${problem}`));
  if (result.outage)
    throw new ProviderOutage('network', `analyzer: ${result.outage.kind}, ${result.outage.message}`);
  store(context, iteration, result.proposals);
  return { base, proposals: result.proposals, finished: [], isExhausted: result.isExhausted };
}

function store(context: RunContext, iteration: number, proposals: readonly Proposal[]): void {
  const { runs, promptId, ledger } = context.parts;
  runs.together(() => {
    for (const [position, { edit, label }] of proposals.entries()) {
      runs.addEdit({
        run_id: context.settings.runId,
        prompt_id: promptId,
        epoch: ledger.epoch,
        edit_id: edit.edit_id,
        label,
        iteration,
        position,
        base_version: edit.base_version,
        base_sha256: edit.base_sha256,
        edit_json: JSON.stringify(edit),
      });
    }
  });
}

/** Edits of the epoch that count against repetition: want of power or budget is no rejection (spec 08 §24.3). */
function judgedEdits({ parts }: RunContext): JudgedEdit[] {
  const neutral = new Set([
    'underpowered',
    'infeasible',
    'epoch_closed',
    'invalid_run',
    'stale_base',
    'promote',
  ]);
  return storedEdits(parts.runs, null, undefined, {
    promptId: parts.promptId,
    epoch: parts.ledger.epoch,
  }).flatMap(({ proposal, report }) =>
    report === null ? [] : [{ edit: proposal.edit, iteration: -1, isRejected: !neutral.has(report.verdict) }],
  );
}

function isFrozen({ reviews, promptId }: LoopParts): boolean {
  return reviews.list(promptId).some(({ kind, state }) => kind === 'oracle_drift' && state === 'open');
}

function startOf({ parts, settings }: RunContext): CurrentPrompt {
  const stored = storedEdits(parts.runs, settings.runId)[0]?.proposal.edit;
  const current = parts.registry.current();
  if (current === null) throw new Error('the registry has no usable current version');
  if (stored === undefined) return current;
  const text = parts.registry.text(stored.base_version) ?? current.text;
  return { version: stored.base_version, sha256: sha256(text), text };
}

async function auditAfter(
  context: RunContext,
  start: CurrentPrompt,
  edits: readonly EditReport[],
): Promise<AuditReport | null> {
  const { parts, settings } = context;
  const promoted = edits.filter(({ verdict }) => verdict === 'promote');
  const current = parts.registry.current();
  const last = promoted.at(-1);
  if (last === undefined || current === null || parts.cases.audit.length === 0) return null;
  const cost = context.worstCaseUsd([start.text, current.text], parts.cases.audit);
  if (cost > context.remainingUsd()) {
    context.notes.push('the audit cases were not run: the budget does not cover them');
    return null;
  }
  context.say(`audit: ${parts.cases.audit.length} cases on both prompts`);
  const passes = parts.runs
    .pairs(settings.runId, last.edit_id, 'confirm')
    .flatMap(({ pass_b }) => (pass_b === null ? [] : [pass_b]));
  const audit = await auditRun(
    context,
    start.text,
    current.text,
    passes.length === 0 ? null : meanOr0(passes),
  );
  if (audit.oracle_drift) {
    parts.reviews.open(
      parts.promptId,
      last.edit_id,
      'oracle_drift',
      'the audit cases do not confirm the promotion',
    );
    context.notes.push('oracle_drift: the audit cases do not confirm the promotion; promotions are frozen');
  }
  return audit;
}

interface Parts {
  readonly status: RunStatus;
  readonly stopped: string | null;
  readonly iteration: number;
  readonly edits: readonly EditReport[];
  readonly audit: AuditReport | null;
  readonly start: CurrentPrompt;
}

function reportOf(
  context: RunContext,
  { status, stopped, iteration, edits, audit, start }: Parts,
): RunReport {
  const { parts, settings } = context;
  const { dev, confirm, audit: held } = parts.cases;
  const costs = parts.runs.costs(settings.runId);
  const callsOf = (role: string): number => costs.find((row) => row.role === role)?.calls ?? 0;
  return {
    run_id: settings.runId,
    prompt_id: parts.promptId,
    seed: settings.seed,
    status,
    stopped,
    epoch: parts.ledger.epoch,
    cases: { dev: dev.length, confirm: confirm.length, audit: held.length },
    start_version: start.version,
    end_version: parts.registry.current()?.version ?? start.version,
    baseline:
      context.baseline ??
      baselineOf(start.version, parts.runs.baseRates(parts.promptId, start.sha256, settings.runId)),
    iterations: iteration,
    edits,
    calls: callsOf('executor') + callsOf('analyzer'),
    audit_calls: callsOf('audit'),
    usd: costs.reduce((sum, { usd }) => sum + usd, 0),
    usd_by_role: Object.fromEntries(costs.map(({ role, usd }) => [role, usd])),
    estimated: costs.some(({ estimated }) => estimated),
    epoch_cost: epochCost(parts, parts.promptId),
    audit,
    notes: context.notes,
  };
}
