import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Option } from 'commander';
import { type Redact, redactorFor } from '../../foreign/redact.js';
import { artefactsIn } from '../../selfedit/loop/artefacts.js';
import { type EpochOutcome, rollEpoch } from '../../selfedit/loop/epoch.js';
import type { LoopProgress } from '../../selfedit/loop/parts.js';
import { type Plan, planRun } from '../../selfedit/loop/plan.js';
import type { RunReport } from '../../selfedit/loop/report.js';
import { runLoop } from '../../selfedit/loop/run-loop.js';
import type { HeldLock } from '../../selfedit/registry/lock.js';
import { htmlReport } from '../../selfedit/report/html-report.js';
import { textReport } from '../../selfedit/report/text-report.js';
import type { CommandIo, RunCommand } from '../shared/command.js';
import { EXIT_FAILURE, EXIT_FOUND, EXIT_OK } from '../shared/exit-codes.js';
import { createProgram, runProgram, setExitCode } from '../shared/program.js';
import { Progress } from '../shared/progress.js';
import { writeAll } from '../shared/streams.js';
import { UserError } from '../shared/user-error.js';
import { createModels, type ModelDeps } from './models.js';
import { addCommonOptions, type CommonOptions, positiveNumber, printResult, wholeNumber } from './options.js';
import { moneyOf, planOf } from './plan.js';
import { planText } from './plan-text.js';
import { loopParts, seedOf } from './prepare.js';
import { classesOf } from './prompts.js';
import { holdRunLock } from './run-lock.js';
import { takeBackWhatHarms } from './take-back.js';
import {
  casesOf,
  currentPrompt,
  openStores,
  type Stores,
  splitCases,
  type Workspace,
  workspace,
} from './workspace.js';

const DAY_S = 86_400;

interface RunOptions extends CommonOptions {
  readonly once?: boolean;
  readonly iterations: number;
  readonly dryRun?: boolean;
  readonly seed?: number;
  readonly budget?: number;
  readonly force?: boolean;
  readonly resume?: string;
}

const NOTES = `
First everything is checked that costs nothing: configuration, cases, registry,
prices, plan. A run that was interrupted goes on with --resume; what is finished
is not paid for twice, and its seed and levels are those recorded. The report is
kept below the state directory, as JSON and as a page.
Exit codes: 0 done, also when nothing was promoted; 1 live outcomes made us go
back a version; 2 usage, configuration, state, or the provider failed.
`;

/** `selfedit run`: propose, measure, promote what helps. */
export const run: RunCommand = (argv, io) => runWith({}, argv, io);

/** @param deps what tests bring in place of the clock */
export function runWith(deps: ModelDeps, argv: readonly string[], io: CommandIo): Promise<number> {
  const program = createProgram('selfedit run', 'Proposes edits, measures them, promotes what helps.', io);
  addCommonOptions(program)
    .addOption(new Option('--once', 'one iteration (default)').conflicts('iterations'))
    .option('--iterations <n>', 'iterations', wholeNumber(1, 1000), 1)
    .option('--dry-run', 'check and plan only; changes nothing')
    .option('--seed <n>', 'order of cases and calls; recorded', wholeNumber(0, 2 ** 48))
    .option('--budget <usd>', 'what the run may spend', positiveNumber)
    .option('--force', 'confirm although the power is below one half')
    .option('--resume <run>', 'go on with an interrupted run')
    .addHelpText('after', NOTES)
    .action(async (options: RunOptions) => setExitCode(program, await act(options, io, deps)));
  return runProgram(program, argv, io);
}

async function act(options: RunOptions, io: CommandIo, deps: ModelDeps): Promise<number> {
  const space = workspace(options, io);
  // A damaged current version can be taken back; a missing registry cannot.
  if (options.dryRun || space.registry.pointer() === null) currentPrompt(space);
  if (options.dryRun) {
    const plan = await planOf(space, io, {
      seed: options.seed ?? 0,
      iterations: options.iterations,
      budget: options.budget,
    });
    await printResult(io, options, plan, planText(plan));
    return EXIT_OK;
  }
  const models = createModels(space.config, io, deps);
  const stores = await openStores(space);
  const progress = new Progress(io);
  let lock: HeldLock | undefined;
  try {
    lock = await holdRunLock(space);
    const waiting = stores.reviews.toDo(space.promptId).length;
    if (waiting > 0) await writeAll(io.stderr, `approved and not done: ${waiting} (selfedit review act)\n`);
    const taken = await takeBackWhatHarms(space, stores);
    if (taken !== null) {
      await printResult(io, options, { status: 'rolled_back', reason: taken }, `rolled back: ${taken}\n`);
      return EXIT_FOUND;
    }
    currentPrompt(space);
    const reason = options.resume === undefined ? notDue(space, stores) : null;
    if (reason !== null) {
      await printResult(io, options, { status: 'not_due', reason }, `not due: ${reason}\n`);
      return EXIT_OK;
    }
    const report = await improve(options, space, stores, models, progress, redactorFor(io.env));
    progress.done();
    await printResult(
      io,
      options,
      report,
      `${textReport(report)}report: ${space.paths.run(report.run_id)}\n`,
    );
    if (report.status !== 'stopped_provider') return EXIT_OK;
    await writeAll(io.stderr, `${providerError(report).line}\n`);
    return EXIT_FAILURE;
  } finally {
    progress.done();
    lock?.release();
    stores.close();
    await models.close();
  }
}

async function improve(
  options: RunOptions,
  space: Workspace,
  stores: Stores,
  models: ReturnType<typeof createModels>,
  progress: Progress,
  redactor: Redact,
): Promise<RunReport> {
  const { config, promptId, paths } = space;
  const earlier = options.resume === undefined ? null : stores.runs.run(options.resume);
  if (options.resume !== undefined && (earlier === null || earlier.prompt_id !== promptId)) {
    throw new UserError({
      code: 'RA_SELFEDIT_INPUT',
      happened: `there is no run ${options.resume} of the prompt ${promptId}`,
      todo: 'see the runs with: robustness-agent selfedit status',
    });
  }
  const seed = earlier?.seed ?? seedOf(options.seed);
  const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  const runId = earlier?.run_id ?? `${promptId}-${stamp}-${seed}`;
  const budgetUsd = options.budget ?? earlier?.budget_usd ?? config.budget_usd_run;
  const started = Date.now();
  stores.traces.cleanUp(config.retention_days);
  const cases = casesOf(space, classesOf(promptId));
  // A run that goes on has its levels already; a closed epoch is no obstacle to it.
  if (earlier === null) {
    demandEpoch(rollEpoch(stores, promptId, splitCases(cases, stores.runs, promptId).confirm, config));
  }
  const { hidden } = splitCases(cases, stores.runs, promptId);
  const traces = stores.traces.lease(promptId, runId, config.batch_size, hidden);
  try {
    const parts = await loopParts(space, stores, {
      models,
      traces,
      artefacts: artefactsIn(paths.run(runId), redactor),
      remainingUsd: () =>
        Math.min(
          budgetUsd - (stores.runs.run(runId)?.spent_usd ?? 0),
          config.budget_usd_day - stores.runs.spentSince(Date.now() / 1000 - DAY_S),
        ),
      onProgress: (at) => progress.update(progressText(at, budgetUsd, started)),
    });
    const plan = planRun(parts, {
      seed,
      iterations: options.iterations,
      isPriced: models.isPriced,
      budgetUsd,
      ...moneyOf(space, stores, models),
    });
    parts.artefacts.write('plan.json', plan);
    if (earlier === null) demandFeasible(plan);
    const report = await runLoop(parts, {
      runId,
      seed,
      iterations: options.once ? 1 : options.iterations,
      force: options.force === true,
      hasSentinels: true,
      hasPowerCheck: true,
      hasSearch: true,
      tieBreak: 'cost',
      confirmLimit: config.confirm_target,
      budgetUsd,
    });
    if (report.status === 'done') stores.traces.acknowledge(runId);
    writeFileSync(join(paths.run(runId), 'report.html'), htmlReport(report, config), { mode: 0o600 });
    return report;
  } finally {
    stores.traces.release(runId);
  }
}

/** @throws UserError `RA_SELFEDIT_CASES` when the epoch has had its tests */
function demandEpoch(outcome: EpochOutcome): void {
  if (outcome.kind !== 'closed') return;
  throw new UserError({
    code: 'RA_SELFEDIT_CASES',
    happened: 'the epoch has had all of its tests, and too few confirm cases are new',
    expected: `${outcome.missing} more confirm cases that no test has used`,
    todo: 'add cases (about twice as many: half of them become confirm cases); nothing was spent',
  });
}

/** @throws UserError `RA_SELFEDIT_CASES` when nothing could be shown */
function demandFeasible(plan: Plan): void {
  if (plan.feasible) return;
  throw new UserError({
    code: 'RA_SELFEDIT_CASES',
    happened: plan.reasons.join('; '),
    todo: 'add cases; nothing was spent',
  });
}

/** Why a run is not due, by its trigger; null: it is. A run that somebody goes on with always is. */
function notDue({ config, promptId }: Workspace, stores: Stores): string | null {
  if (config.trigger === 'batch') {
    const { pending } = stores.traces.counts(promptId);
    return pending >= config.batch_size ? null : `${pending} new labelled failures of ${config.batch_size}`;
  }
  const [last] = stores.runs.latest(promptId, 1);
  if (config.trigger !== 'time' || last === undefined) return null;
  const hours = (Date.now() / 1000 - last.started_at) / 3600;
  return hours >= config.interval_h
    ? null
    : `the last run began ${hours.toFixed(1)} h ago, of ${config.interval_h} h`;
}

function progressText({ what, calls, usd }: LoopProgress, budgetUsd: number, started: number): string {
  const seconds = Math.round((Date.now() - started) / 1000);
  return `${what}; ${calls} calls, ${usd.toFixed(4)} of ${budgetUsd} USD, ${seconds} s`;
}

function providerError({ stopped, run_id, usd }: RunReport): UserError {
  return new UserError({
    code: 'RA_SELFEDIT_PROVIDER',
    happened: `the run ${run_id} stopped: ${stopped ?? 'the provider failed'}; ${usd.toFixed(4)} USD were spent`,
    todo: `mend the provider, then: robustness-agent selfedit run --resume ${run_id}`,
  });
}
