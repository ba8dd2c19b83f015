import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Option } from 'commander';
import { DEFAULT_SELFEDIT_CONFIG } from '../../selfedit/config/parse-config.js';
import { demoEdits } from '../../selfedit/demo/demo-edits.js';
import { DEFAULT_CHURN } from '../../selfedit/demo/demo-executor.js';
import { demoCaseSet, runDemo } from '../../selfedit/demo/run-demo.js';
import { demoAccuracy, runReference } from '../../selfedit/demo/run-reference.js';
import { htmlReport } from '../../selfedit/report/html-report.js';
import { referenceText } from '../../selfedit/report/reference-text.js';
import { textReport } from '../../selfedit/report/text-report.js';
import { openStore } from '../../selfedit/store/open-store.js';
import type { CommandIo, RunCommand } from '../shared/command.js';
import { createProgram, runProgram } from '../shared/program.js';
import { Progress } from '../shared/progress.js';
import { UserError } from '../shared/user-error.js';
import { addCommonOptions, type CommonOptions, positiveNumber, printResult, wholeNumber } from './options.js';

interface DemoOptions extends CommonOptions {
  readonly seed: number;
  readonly churn: number;
  readonly gate: 'ours' | 'reference' | 'both';
  readonly tasks: number;
  readonly output?: string;
}

const NOTES = `
The loop, the gate, the registry and the audit are the real ones; model and
analyzer are simulated. Equal options give equal bytes. Of the fourteen edits
g1-g3 help, n1-n3 do nothing, h1-h3 harm, s1 helps but ruins a class, l1 copies
answers, x1-x3 are forbidden. Prompt and settings are fixed: --prompt-id and
--config are taken, as everywhere, and change nothing.
Exit codes: 0 done; 2 usage.
`;

/** `selfedit demo`: the whole loop offline, and the reference's gate beside it (spec 08 §23). */
export const run: RunCommand = (argv, io) => {
  const program = createProgram(
    'selfedit demo',
    'Improves a made-up prompt offline: no key, no network.',
    io,
  );
  addCommonOptions(program)
    .option('--seed <n>', 'luck of the simulated model', wholeNumber(0, 2 ** 48), 0)
    .option('--churn <share>', 'answers drawn anew for each prompt', positiveNumber, DEFAULT_CHURN)
    .addOption(
      new Option('--gate <which>', 'whose gate').choices(['ours', 'reference', 'both']).default('both'),
    )
    .option('--tasks <n>', 'confirm cases per test', wholeNumber(20, 180), 180)
    .option('--output <file>', 'write the report as a page (.html)')
    .addHelpText('after', NOTES)
    .action((options: DemoOptions) => act(options, io));
  return runProgram(program, argv, io);
};

async function act(options: DemoOptions, io: CommandIo): Promise<void> {
  const ours = options.gate === 'reference' ? null : await oursOf(options, io);
  const cases = demoCaseSet();
  const reference = options.gate === 'ours' ? null : await runReference(cases, options);
  const accuracy = reference === null ? 0 : await demoAccuracy(reference.final_prompt, cases.audit, options);
  const referenceJson = reference && { ...reference, final_prompt: undefined, audit_accuracy: accuracy };
  if (options.output !== undefined && ours !== null) {
    await writeFile(resolve(io.cwd, options.output), htmlReport(ours, DEFAULT_SELFEDIT_CONFIG)).catch(
      (error: unknown) => {
        throw new UserError({
          code: 'RA_OUTPUT',
          happened: `${options.output} cannot be written: ${String(error)}`,
        });
      },
    );
  }
  const truths = new Map(demoEdits(options.seed).map(({ label, truth }) => [label, truth]));
  const parts = [
    ...(ours === null ? [] : [textReport(ours, truths)]),
    ...(reference === null ? [] : [referenceText(reference, accuracy)]),
    ...(ours !== null && reference !== null && reference.calls > ours.calls
      ? [`our gate made ${reference.calls - ours.calls} calls fewer\n`]
      : []),
  ];
  await printResult(io, options, { ours, reference: referenceJson }, parts.join('\n'));
}

async function oursOf({ seed, churn, tasks }: DemoOptions, io: CommandIo) {
  const opened = await openStore(':memory:');
  if (!opened.ok) {
    throw new UserError({
      code: 'RA_SELFEDIT_STORE',
      happened: `SQLite cannot be used: ${opened.problem}`,
      todo: 'install better-sqlite3 (robustness-agent doctor); --gate reference needs none',
    });
  }
  const progress = new Progress(io);
  const directory = mkdtempSync(join(tmpdir(), 'robustness-selfedit-'));
  try {
    const onProgress = ({ what }: { what: string }): void => progress.update(what);
    return await runDemo({ seed, churn, tasks, directory, db: opened.db, onProgress });
  } finally {
    progress.done();
    opened.db.close();
    rmSync(directory, { recursive: true, force: true });
  }
}
