import { confirmUnits } from '../../selfedit/cases/case-set.js';
import { confirmationPower, ratesFromExpectation } from '../../selfedit/gate/power.js';
import { ProviderOutage } from '../../selfedit/loop/measure.js';
import type { CurrentPrompt } from '../../selfedit/registry/registry.js';
import type { CommandIo, RunCommand } from '../shared/command.js';
import { createProgram, runProgram } from '../shared/program.js';
import { Progress } from '../shared/progress.js';
import { createModels } from './models.js';
import { addCommonOptions, type CommonOptions, printResult } from './options.js';
import { seedOf } from './prepare.js';
import { classesOf } from './prompts.js';
import { type ShortRun, shortRun, shortRunId } from './short-run.js';
import { casesOf, currentPrompt, openStores, splitCases, workspace } from './workspace.js';

const NOTES = `
Runs the current prompt on the dev cases, shows the failures to the analyzer and
puts its edits through the free checks. Nothing is measured or promoted. The
power is that of a test if the edit won as many dev cases as it claims.
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
  const runId = shortRunId('propose', seed);
  const { hidden } = splitCases(casesOf(space, classesOf(promptId)), stores.runs, promptId);
  const traces = stores.traces.lease(promptId, runId, config.batch_size, hidden);
  try {
    progress.update('running the current prompt on the dev cases');
    const result = await shortRun({ space, stores, models }, { runId, seed, traces }, (one) =>
      proposed(one, base),
    );
    progress.done();
    const lines = result.edits.map(
      ({ edit_id, intent, hypothesis, power, blocked_by }) =>
        `${edit_id}  ${intent}: ${hypothesis} (${blocked_by === null ? `power ${power.toFixed(2)}` : `blocked: ${blocked_by}`})`,
    );
    const text = [...lines, ...result.problems, `${result.edits.length} edits`].join('\n');
    await printResult(io, options, result, `${text}\n`);
  } finally {
    progress.done();
    stores.traces.release(runId);
    stores.close();
    await models.close();
  }
}

/** The analyzer's edits, each with the free checks and the power it would have. @throws ProviderOutage, LimitStop */
async function proposed({ context, parts, runId }: ShortRun, base: CurrentPrompt) {
  const { cases, config, ledger, runs } = parts;
  const result = await parts.propose({
    base,
    iteration: 1,
    failures: () => context.failuresOf(base),
    feedback: context.feedback,
  });
  if (result.usage !== null) {
    const { calls, inputTokens, outputTokens, usd, estimated } = result.usage;
    const tokens = inputTokens + outputTokens;
    runs.spend(runId, { role: 'analyzer', model: result.model, calls, tokens, usd, estimated });
  }
  if (result.outage) throw new ProviderOutage(result.outage.kind, `analyzer, ${result.outage.message}`);
  const rules = ledger.rules(config);
  const alpha = ledger.nextAlpha(config) ?? rules.alpha_epoch / rules.confirmations_per_epoch;
  const planned = confirmUnits(cases.confirm, 0, config.confirm_target).length;
  const edits = [];
  for (const { edit } of result.proposals) {
    const { checks, blockedBy } = await context.judgeStatically(edit, base.text);
    const rates = ratesFromExpectation(edit.expected.net, cases.dev.length);
    const power = confirmationPower(rates, planned, alpha, rules.early_alpha_share);
    edits.push({ ...edit, checks, blocked_by: blockedBy?.name ?? null, power });
  }
  return { edits, problems: result.problems };
}
