import { sha256 } from '../hash.js';
import { meanOr0 } from '../numbers.js';
import type { CurrentPrompt } from '../registry/registry.js';
import { auditCostUsd, auditRun, driftNote } from './audit-run.js';
import { baselineOf } from './baseline.js';
import { epochCost } from './epoch-cost.js';
import { runIteration } from './iteration.js';
import { ProviderOutage } from './measure.js';
import type { LoopParts, LoopSettings } from './parts.js';
import type { AuditReport, EditReport, RunReport, RunStatus } from './report.js';
import { RunContext } from './run-context.js';
import { LimitStop } from './stops.js';
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
  const writeSoFar = (): void =>
    parts.artefacts.write(
      'report.json',
      reportOf(context, { status, stopped, iteration, edits, audit, start }),
      true,
    );
  try {
    writeSoFar();
    while (iteration < settings.iterations) {
      if (isFrozen(parts)) {
        status = 'frozen';
        stopped = 'an oracle_drift review is open: promotions wait for it';
        break;
      }
      iteration += 1;
      const { reports, isExhausted } = await runIteration(context, iteration);
      edits.push(...reports);
      writeSoFar();
      if (isExhausted) break;
    }
    audit = await auditAfter(context, start, edits);
  } catch (error) {
    context.measurer.settle();
    if (error instanceof ProviderOutage) {
      status = 'stopped_provider';
      stopped = `the provider failed (${error.kind}): ${error.message}`;
    } else if (error instanceof LimitStop) {
      status = error.limit === 'budget' ? 'stopped_budget' : 'stopped_time';
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
  if (status === 'stopped_time') context.notes.push(`to go on: selfedit run --resume ${settings.runId}`);
  parts.runs.end(settings.runId, status);
  const report = reportOf(context, { status, stopped, iteration, edits, audit, start });
  parts.artefacts.write('report.json', report);
  return report;
}

/** True while a flag of the audit waits for a human: nothing is promoted meanwhile (spec 08 §24.9). */
export function isFrozen({ reviews, promptId }: Pick<LoopParts, 'reviews' | 'promptId'>): boolean {
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

/** Runs the audit cases once something was promoted; null without a promotion, or where the budget does not cover them. */
export async function auditAfter(
  context: RunContext,
  start: CurrentPrompt,
  edits: readonly EditReport[],
): Promise<AuditReport | null> {
  const { parts, settings } = context;
  const promoted = edits.filter(({ verdict }) => verdict === 'promote');
  const current = parts.registry.current();
  const last = promoted.at(-1);
  if (last === undefined || current === null || parts.cases.audit.length === 0) return null;
  const cost = auditCostUsd(context, [start.text, current.text]);
  if (cost > context.remainingUsd()) {
    context.notes.push('the audit cases were not run: the budget does not cover them');
    return null;
  }
  context.say(`audit: ${parts.cases.audit.length} cases on both prompts`);
  const passes = ['confirm', 'extend']
    .flatMap((stage) => parts.runs.pairs(settings.runId, last.edit_id, stage))
    .flatMap(({ pass_b }) => (pass_b === null ? [] : [pass_b]));
  const audit = await auditRun(
    context,
    start.text,
    current.text,
    passes.length === 0 ? null : meanOr0(passes),
  );
  if (audit.oracle_drift) {
    parts.reviews.open(parts.promptId, last.edit_id, 'oracle_drift', driftNote(audit));
    context.notes.push(
      `oracle_drift: ${driftNote(audit)}. Promotions are frozen until selfedit review has cleared it`,
    );
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
    calls: callsOf('executor') + callsOf('analyzer') + callsOf('embedding'),

    audit_calls: callsOf('audit') + callsOf('judge'),
    usd: costs.reduce((sum, { usd }) => sum + usd, 0),
    usd_by_role: Object.fromEntries(costs.map(({ role, usd }) => [role, usd])),
    estimated: costs.some(({ estimated }) => estimated),
    epoch_cost: epochCost(parts, parts.promptId),
    audit,
    notes: context.notes,
  };
}
