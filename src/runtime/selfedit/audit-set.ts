import { sha256 } from '../../selfedit/hash.js';
import { auditRun } from '../../selfedit/loop/audit-run.js';
import { ProviderOutage } from '../../selfedit/loop/measure.js';
import { RunContext } from '../../selfedit/loop/run-context.js';
import type { CommandIo, RunCommand } from '../shared/command.js';
import { createProgram, runProgram } from '../shared/program.js';
import { UserError } from '../shared/user-error.js';
import { createModels } from './models.js';
import { addCommonOptions, type CommonOptions, printResult, wholeNumber } from './options.js';
import { loopParts, seedOf } from './prepare.js';
import { currentPrompt, openStores, workspace } from './workspace.js';

interface AuditOptions extends CommonOptions {
  readonly seed?: number;
}

/** `selfedit audit-set`: the acceptance run. */
export const run: RunCommand = (argv, io) => {
  const program = createProgram(
    'selfedit audit-set',
    'Measures version 1 and the current one on the audit cases.',
    io,
  );
  addCommonOptions(program)
    .option('--seed <n>', 'order of calls', wholeNumber(0, 2 ** 48))
    .action((options: AuditOptions) => act(options, io));
  return runProgram(program, argv, io);
};

async function act(options: AuditOptions, io: CommandIo): Promise<void> {
  const space = workspace(options, io);
  const current = currentPrompt(space);
  const { config, promptId, registry } = space;
  const models = createModels(config, io);
  const stores = await openStores(space);
  const seed = seedOf(options.seed);
  const runId = `audit-${new Date().toISOString().replace(/\D/g, '').slice(0, 14)}-${seed}`;
  try {
    const remainingUsd = (): number => config.budget_usd_run;
    const parts = await loopParts(space, stores, { models, remainingUsd });
    const budgetUsd = config.budget_usd_run;
    stores.runs.begin({
      run_id: runId,
      prompt_id: promptId,
      seed,
      config_sha256: sha256(JSON.stringify(config)),
      budget_usd: budgetUsd,
    });
    const context = new RunContext(
      parts,
      {
        runId,
        seed,
        iterations: 1,
        force: false,
        hasSentinels: false,
        hasPowerCheck: false,
        hasSearch: false,
        tieBreak: 'cost',
        confirmLimit: config.confirm_target,
        budgetUsd,
      },
      false,
    );
    const first = registry.text(registry.versions()[0] ?? 1) ?? current.text;
    const cost = context.worstCaseUsd([first, current.text], parts.cases.audit);
    if (cost > context.remainingUsd()) {
      throw new UserError({
        code: 'RA_SELFEDIT_INPUT',
        happened: `the audit can cost ${cost.toFixed(4)} USD, more than is left of the budget`,
        todo: 'raise selfedit.budget_usd_run or budget_usd_day',
      });
    }
    const audit = await auditRun(context, first, current.text, null).catch((error: unknown) => {
      context.measurer.settle();
      stores.runs.end(runId, 'stopped_provider');
      if (!(error instanceof ProviderOutage)) throw error;
      throw new UserError({
        code: 'RA_SELFEDIT_PROVIDER',
        happened: `the provider failed (${error.kind}): ${error.message}`,
        todo: 'mend the provider and try again',
      });
    });
    stores.runs.end(runId, 'done');
    const text = `version ${registry.versions()[0] ?? 1}: ${(audit.before * 100).toFixed(1)} %, version ${current.version}: ${(audit.after * 100).toFixed(1)} % of ${audit.n} audit cases\n`;
    await printResult(io, options, audit, text);
  } finally {
    stores.close();
    await models.close();
  }
}
