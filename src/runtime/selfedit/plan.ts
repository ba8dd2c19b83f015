import { MOST_QUESTION } from '../../selfedit/analyzer/analyzer-prompt.js';
import { likelyCost, worstCase } from '../../selfedit/executor/model-executor.js';
import { type PlanOptions, planRun } from '../../selfedit/loop/plan.js';
import { copyStore } from '../../selfedit/store/copy-store.js';
import type { CommandIo, RunCommand } from '../shared/command.js';
import { EXIT_FOUND, EXIT_OK } from '../shared/exit-codes.js';
import { createProgram, runProgram, setExitCode } from '../shared/program.js';
import { UserError } from '../shared/user-error.js';
import { createModels, type Models } from './models.js';
import { addCommonOptions, type CommonOptions, printResult, wholeNumber } from './options.js';
import { planText } from './plan-text.js';
import { UNCALLED } from './prepare.js';
import { classesOf } from './prompts.js';
import {
  casesOf,
  currentPrompt,
  openStores,
  type Stores,
  splitCases,
  type Workspace,
  workspace,
} from './workspace.js';

interface Options extends CommonOptions {
  readonly iterations: number;
  readonly seed: number;
}

const DAY_S = 86_400;

const NOTES = `
Makes no call and changes no file.
Exit codes: 0 feasible; 1 infeasible; 2 usage, configuration or state.
`;

/** `selfedit plan`: power and cost before anything is spent (spec 08 §24.3). */
export const run: RunCommand = (argv, io) => {
  const program = createProgram('selfedit plan', 'Says what a run could show, and what it would cost.', io);
  addCommonOptions(program)
    .option('--iterations <n>', 'iterations of the run', wholeNumber(1, 1000), 1)
    .option('--seed <n>', 'seed of the run', wholeNumber(0, 2 ** 48), 0)
    .addHelpText('after', NOTES)
    .action(async (options: Options) => {
      const plan = await planOf(workspace(options, io), io, options);
      await printResult(io, options, plan, planText(plan));
      setExitCode(program, plan.feasible ? EXIT_OK : EXIT_FOUND);
    });
  return runProgram(program, argv, io);
};

/** Computes a plan on a copy of the database; costs are bounded where a model and its price are known. */
export async function planOf(
  space: Workspace,
  io: CommandIo,
  {
    seed,
    iterations,
    budget,
  }: { readonly seed: number; readonly iterations: number; readonly budget?: number | undefined },
) {
  currentPrompt(space);
  const all = casesOf(space, classesOf(space.promptId));
  const copy = copyStore(space.paths.database);
  const stores = await openStores(space, copy.path);
  const models = modelsOrNone(space, io);
  try {
    return planRun(
      {
        promptId: space.promptId,
        registry: space.registry,
        ledger: stores.ledger,
        runs: stores.runs,
        cases: splitCases(all, stores.runs, space.promptId),
        executor: models?.executor ?? UNCALLED,
        judge: models?.judge ?? null,
        config: space.config,
      },
      {
        seed,
        iterations,
        isPriced: models?.isPriced === true,
        ...moneyOf(space, stores, models),
        budgetUsd: budget ?? space.config.budget_usd_run,
      },
    );
  } finally {
    stores.close();
    copy.remove();
    await models?.close();
  }
}

/** What asking the analyzer costs, and what is left of the day. */
export function moneyOf(
  { config, registry }: Workspace,
  { runs }: Stores,
  models: Models | null,
): Pick<PlanOptions, 'analyzerUsd' | 'dayLeftUsd'> {
  const characters = MOST_QUESTION + (registry.current()?.text.length ?? 0);
  return {
    analyzerUsd:
      models === null
        ? { most: 0, likely: 0 }
        : {
            most: worstCase(models.analyzer, characters),
            likely: likelyCost(models.analyzer, characters / 2),
          },
    dayLeftUsd: config.budget_usd_day - runs.spentSince(Date.now() / 1000 - DAY_S),
  };
}

/** A plan is of use without a model, too. */
function modelsOrNone({ config }: Workspace, io: CommandIo) {
  try {
    return createModels(config, io);
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
}
