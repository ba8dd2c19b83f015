import { auditCostUsd, auditRun, driftNote } from '../../selfedit/loop/audit-run.js';
import type { AuditReport } from '../../selfedit/loop/report.js';
import { meanOr0 } from '../../selfedit/numbers.js';
import type { CommandIo, RunCommand } from '../shared/command.js';
import { EXIT_FOUND, EXIT_OK } from '../shared/exit-codes.js';
import { createProgram, runProgram, setExitCode } from '../shared/program.js';
import { Progress } from '../shared/progress.js';
import { UserError } from '../shared/user-error.js';
import { createModels } from './models.js';
import { addCommonOptions, type CommonOptions, printResult, wholeNumber } from './options.js';
import { seedOf } from './prepare.js';
import { shortRun, shortRunId } from './short-run.js';
import { currentPrompt, openStores, type Stores, type Workspace, workspace } from './workspace.js';

interface AuditOptions extends CommonOptions {
  readonly seed?: number;
}

const NOTES = `
Nobody tunes by the audit cases, so this is the honest accuracy. When it
contradicts a promotion, a review is opened, and promotions wait for it.
Exit codes: 0 done; 1 the audit contradicts; 2 usage, configuration, state, or
the provider failed.
`;

/** `selfedit audit-set`: the acceptance run. */
export const run: RunCommand = (argv, io) => {
  const program = createProgram(
    'selfedit audit-set',
    'Measures version 1 and the current one on the audit cases.',
    io,
  );
  addCommonOptions(program)
    .option('--seed <n>', 'order of calls', wholeNumber(0, 2 ** 48))
    .addHelpText('after', NOTES)
    .action(async (options: AuditOptions) => setExitCode(program, await act(options, io)));
  return runProgram(program, argv, io);
};

async function act(options: AuditOptions, io: CommandIo): Promise<number> {
  const space = workspace(options, io);
  const current = currentPrompt(space);
  const { config, registry } = space;
  const first = registry.versions()[0] ?? 1;
  const models = createModels(config, io);
  const stores = await openStores(space);
  const progress = new Progress(io);
  const seed = seedOf(options.seed);
  try {
    const audit = await shortRun(
      { space, stores, models },
      { runId: shortRunId('audit', seed), seed },
      ({ context, parts }) => {
        if (parts.cases.audit.length === 0) throw noCases();
        progress.update(`${parts.cases.audit.length} audit cases on both prompts`);
        const before = registry.text(first) ?? current.text;
        context.demand(auditCostUsd(context, [before, current.text]));
        return auditRun(context, before, current.text, confirmAccuracy(space, stores, current.version));
      },
    );
    progress.done();
    // Both sides are one text: whatever differs is noise.
    const contradicts = audit.oracle_drift && first !== current.version;
    if (contradicts) {
      const edit = registry.meta(current.version)?.edit_id ?? `version ${current.version}`;
      stores.reviews.open(space.promptId, edit, 'oracle_drift', driftNote(audit));
    }
    await printResult(
      io,
      options,
      { ...audit, first_version: first, current_version: current.version, contradicts },
      auditText(audit, first, current.version, contradicts),
    );
    return contradicts ? EXIT_FOUND : EXIT_OK;
  } finally {
    progress.done();
    stores.close();
    await models.close();
  }
}

function noCases(): UserError {
  return new UserError({
    code: 'RA_SELFEDIT_CASES',
    happened: 'there are no audit cases',
    todo: 'add cases: about one group in seven becomes an audit case',
  });
}

/** Share of confirm cases that the current version passed when it was promoted; null where that is not known. */
function confirmAccuracy({ registry }: Workspace, { runs }: Stores, version: number): number | null {
  const meta = registry.meta(version);
  if (meta?.edit_id === undefined || meta.run_id === undefined) return null;
  const passes = runs
    .pairs(meta.run_id, meta.edit_id, 'confirm')
    .flatMap(({ pass_b }) => (pass_b === null ? [] : [pass_b]));
  return passes.length === 0 ? null : meanOr0(passes);
}

function auditText(audit: AuditReport, first: number, current: number, contradicts: boolean): string {
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  const { before, after, n, human, judge } = audit;
  return [
    `version ${first}: ${percent(before)}, version ${current}: ${percent(after)} of ${n} audit cases`,
    human.n === 0
      ? 'none of them was labelled by a human'
      : `labelled by a human: ${human.n}, ${percent(human.before)} and ${percent(human.after)}`,
    ...(judge === null
      ? []
      : [
          `prose, by ${judge.model}: ${judge.before.toFixed(2)} and ${judge.after.toFixed(2)} (${judge.n} rated)`,
        ]),
    ...(first === current
      ? ['nothing was promoted: both sides are one text, a difference is measurement noise']
      : []),
    ...(contradicts ? ['oracle_drift: promotions are frozen until selfedit review clears it'] : []),
    '',
  ].join('\n');
}
