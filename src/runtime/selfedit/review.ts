import type { Command } from 'commander';
import { redactorFor } from '../../foreign/redact.js';
import type { HeldLock } from '../../selfedit/registry/lock.js';
import { shadowLine } from '../../selfedit/reviews/act.js';
import { approvalProblem } from '../../selfedit/reviews/approval.js';
import { shadowSummary } from '../../selfedit/reviews/shadow.js';
import type { ReviewRow } from '../../selfedit/store/review-store.js';
import type { CommandIo, RunCommand } from '../shared/command.js';
import { EXIT_FAILURE, EXIT_OK } from '../shared/exit-codes.js';
import { createProgram, runProgram, setExitCode, silenced } from '../shared/program.js';
import { Progress } from '../shared/progress.js';
import { UserError } from '../shared/user-error.js';
import { actOnApproved, reviewRunText } from './act-on-reviews.js';
import { createModels, type ModelDeps } from './models.js';
import { addCommonOptions, type CommonOptions, positiveNumber, printResult, wholeNumber } from './options.js';
import { classesOf, corpusOf } from './prompts.js';
import { holdRunLock } from './run-lock.js';
import { casesOf, openStores, type Stores, type Workspace, workspace } from './workspace.js';

interface DecideOptions extends CommonOptions {
  readonly reviewer: string;
  readonly note: string;
  readonly shadow?: boolean;
}

interface ActOptions extends CommonOptions {
  readonly seed?: number;
  readonly budget?: number;
}

const NOTES = `
Approving asks for more evidence; it promotes nothing by itself, and nobody can
approve what touches a frozen line, leaks, or does not fit its hash. "act" then
buys fresh confirm cases, or runs the candidate in the shadow, on what sessions
asked. A shadow can be approved once more, for fresh cases, or rejected.
`;

/** `selfedit review`: what waits for a human (spec 08 §24.10). */
export const run: RunCommand = (argv, io) => runWith({}, argv, io);

/** @param deps what tests bring in place of the clock */
export function runWith(deps: ModelDeps, argv: readonly string[], io: CommandIo): Promise<number> {
  const program = createProgram('selfedit review', 'Lists and decides what waits for a human.', io);
  program.addHelpText('after', NOTES);
  const sub = (name: string, summary: string): Command =>
    addCommonOptions(silenced(program.command(name), io).description(summary));
  const deciding = (name: string, summary: string): Command =>
    sub(name, summary)
      .argument('<review>', 'number of the review', wholeNumber(1, 1e12))
      .requiredOption('--reviewer <name>', 'who decides')
      .requiredOption('--note <text>', 'why');
  sub('list', 'Lists all, oldest first; what is open for 14 days expires.').action((options: CommonOptions) =>
    list(options, io),
  );
  deciding('approve', 'Asks for more evidence on an edit, or clears a freeze.')
    .option('--shadow', 'by running it beside the current prompt')
    .action((review: number, options: DecideOptions) =>
      decide(review, options.shadow ? 'approved_shadow' : 'approved_extend', options, io),
    );
  deciding('reject', 'Turns an edit down.').action((review: number, options: DecideOptions) =>
    decide(review, 'rejected', options, io),
  );
  sub('act', 'Does what was approved.')
    .option('--seed <n>', 'order of cases and calls; recorded', wholeNumber(0, 2 ** 48))
    .option('--budget <usd>', 'what it may spend', positiveNumber)
    .addHelpText(
      'after',
      '\nExit codes: 0 done, also when nothing was promoted; 2 usage, state or provider.\n',
    )
    .action(async (options: ActOptions) => setExitCode(program, await act(options, io, deps)));
  program.action(() => program.outputHelp());
  return runProgram(program, argv, io);
}

async function list(options: CommonOptions, io: CommandIo): Promise<void> {
  const space = workspace(options, io);
  const stores = await openStores(space);
  try {
    const reviews = stores.reviews.list(space.promptId).map((row) => ({
      ...row,
      acts: stores.reviews.acts(row.review_id),
      shadow: shadowOf(row, stores),
    }));
    const lines = reviews.flatMap(({ review_id, edit_id, kind, state, note, acts, shadow }) => [
      `${review_id}  ${edit_id}  ${kind}  ${state}  ${note ?? ''}`,
      ...acts.map((one) => `   ${one.kind}: ${one.verdict}, ${one.reason}`),
      ...(shadow === null ? [] : [`   shadow so far: ${shadowLine(shadow)}`]),
    ]);
    await printResult(
      io,
      options,
      { reviews },
      `${lines.length === 0 ? 'nothing waits' : lines.join('\n')}\n`,
    );
  } finally {
    stores.close();
  }
}

function shadowOf({ review_id }: ReviewRow, { shadow }: Stores) {
  const pairs = shadow.pairs(review_id);
  return pairs.length === 0 ? null : shadowSummary(pairs);
}

async function decide(
  review: number,
  state: 'approved_extend' | 'approved_shadow' | 'rejected',
  options: DecideOptions,
  io: CommandIo,
): Promise<void> {
  const space = workspace(options, io);
  const stores = await openStores(space);
  try {
    const row = stores.reviews.undecided(space.promptId, review);
    if (row === null || row.state === state) throw inputError(`there is no open review ${review}`);
    if (state !== 'rejected') await demandApproval(row, state, space, stores);
    stores.reviews.decide(space.promptId, review, state, options);
    await printResult(io, options, { review_id: review, state }, `review ${review}: ${state}\n`);
  } finally {
    stores.close();
  }
}

/** @throws UserError `RA_SELFEDIT_INPUT` for what nobody can approve */
async function demandApproval(
  row: ReviewRow,
  state: 'approved_extend' | 'approved_shadow',
  space: Workspace,
  stores: Stores,
): Promise<void> {
  const { promptId, registry } = space;
  if (state === 'approved_shadow' && row.kind === 'oracle_drift')
    throw inputError(`review ${row.review_id} is about a promotion; there is nothing to run in the shadow`);
  const corpus = await corpusOf(promptId, casesOf(space, classesOf(promptId)));
  const problem = approvalProblem(row, stores.reviews.origin(row), { promptId, registry, corpus });
  if (problem !== null) throw inputError(`review ${row.review_id} cannot be approved: ${problem}`);
}

async function act(options: ActOptions, io: CommandIo, deps: ModelDeps): Promise<number> {
  const space = workspace(options, io);
  const stores = await openStores(space);
  const progress = new Progress(io);
  try {
    if (stores.reviews.toDo(space.promptId).length === 0) {
      await printResult(io, options, { status: 'nothing_to_do' }, 'nothing is approved that is not done\n');
      return EXIT_OK;
    }
    const models = createModels(space.config, io, deps);
    let lock: HeldLock | undefined;
    try {
      lock = await holdRunLock(space);
      const done = await actOnApproved(space, stores, {
        models,
        redact: redactorFor(io.env),
        seed: options.seed,
        budgetUsd: options.budget ?? space.config.budget_usd_run,
        onProgress: ({ what, calls, usd }) =>
          progress.update(`${what}; ${calls} calls, ${usd.toFixed(4)} USD`),
      });
      progress.done();
      if (done !== null) await printResult(io, options, done, reviewRunText(done));
      return done?.status === 'stopped_provider' ? EXIT_FAILURE : EXIT_OK;
    } finally {
      lock?.release();
      await models.close();
    }
  } finally {
    progress.done();
    stores.close();
  }
}

function inputError(happened: string): UserError {
  return new UserError({
    code: 'RA_SELFEDIT_INPUT',
    happened,
    todo: 'see them with: robustness-agent selfedit review list',
  });
}
