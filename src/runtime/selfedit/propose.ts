import { staticChecks } from '../../selfedit/guards/static-checks.js';
import { sha256 } from '../../selfedit/hash.js';
import { RunContext } from '../../selfedit/loop/run-context.js';
import type { CommandIo, RunCommand } from '../shared/command.js';
import { createProgram, runProgram } from '../shared/program.js';
import { Progress } from '../shared/progress.js';
import { UserError } from '../shared/user-error.js';
import { createModels } from './models.js';
import { addCommonOptions, type CommonOptions, printResult } from './options.js';
import { loopParts, seedOf } from './prepare.js';
import { classesOf } from './prompts.js';
import { casesOf, currentPrompt, openStores, splitCases, workspace } from './workspace.js';

const NOTES = `
Runs the current prompt on the dev cases, shows the failures to the analyzer and
puts its edits through the free checks. Nothing is measured or promoted.
Exit codes: 0 done; 2 usage, configuration, state, or the provider failed.
`;

/** `selfedit propose`: the analyzer alone. */
export const run: RunCommand = (argv, io) => {
  const program = createProgram('selfedit propose', 'Asks for edits of a prompt; measures none.', io);
  addCommonOptions(program)
    .addHelpText('after', NOTES)
    .action((options: CommonOptions) => act(options, io));
  return runProgram(program, argv, io);
};

async function act(options: CommonOptions, io: CommandIo): Promise<void> {
  const space = workspace(options, io);
  const base = currentPrompt(space);
  const { promptId, config } = space;
  const models = createModels(config, io);
  const stores = await openStores(space);
  const progress = new Progress(io);
  const seed = seedOf(undefined);
  const runId = `propose-${new Date().toISOString().replace(/\D/g, '').slice(0, 14)}-${seed}`;
  const { hidden } = splitCases(casesOf(space, classesOf(promptId)), stores.runs, promptId);
  const traces = stores.traces.lease(promptId, runId, config.batch_size, hidden);
  try {
    const remainingUsd = (): number => config.budget_usd_run - (stores.runs.run(runId)?.spent_usd ?? 0);
    const parts = await loopParts(space, stores, { models, traces, remainingUsd });
    stores.runs.begin({
      run_id: runId,
      prompt_id: promptId,
      seed,
      config_sha256: sha256(JSON.stringify(config)),
      budget_usd: config.budget_usd_run,
    });
    const context = new RunContext(
      parts,
      {
        runId,
        seed,
        iterations: 1,
        force: false,
        hasSentinels: true,
        hasPowerCheck: true,
        hasSearch: false,
        tieBreak: 'cost',
        confirmLimit: config.confirm_target,
        budgetUsd: config.budget_usd_run,
      },
      false,
    );
    progress.update('running the current prompt on the dev cases');
    const result = await parts.propose({
      base,
      iteration: 1,
      failures: () => context.failuresOf(base),
      feedback: [],
    });
    if (result.usage !== null) {
      const { calls, inputTokens, outputTokens, usd, estimated } = result.usage;
      const tokens = inputTokens + outputTokens;
      stores.runs.spend(runId, { role: 'analyzer', model: result.model, calls, tokens, usd, estimated });
    }
    stores.runs.end(runId, result.outage ? 'stopped_provider' : 'done');
    if (result.outage) {
      throw new UserError({
        code: 'RA_SELFEDIT_PROVIDER',
        happened: `the analyzer failed (${result.outage.kind}): ${result.outage.message}`,
        todo: 'mend the provider and try again',
      });
    }
    const edits = result.proposals.map(({ edit }) => {
      const { checks, blockedBy } = staticChecks(edit, context.staticContext(base.text));
      return { ...edit, checks, blocked_by: blockedBy?.name ?? null };
    });
    const lines = edits.map(
      ({ edit_id, intent, hypothesis, blocked_by }) =>
        `${edit_id}  ${intent}: ${hypothesis}${blocked_by === null ? '' : ` (blocked: ${blocked_by})`}`,
    );
    const text = [...lines, ...result.problems, `${edits.length} edits`].join('\n');
    await printResult(io, options, { edits, problems: result.problems }, `${text}\n`);
  } finally {
    progress.done();
    stores.traces.release(runId);
    stores.close();
    await models.close();
  }
}
