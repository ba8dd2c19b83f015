import type { Command } from 'commander';
import { buildCases } from '../../selfedit/cases/build-cases.js';
import type { Case } from '../../selfedit/cases/case.js';
import { loadCases, parseCases, writeCases } from '../../selfedit/cases/case-files.js';
import { CaseSet } from '../../selfedit/cases/case-set.js';
import { promptfooTests } from '../../selfedit/cases/promptfoo.js';
import type { CommandIo, RunCommand } from '../shared/command.js';
import { EXIT_FOUND, EXIT_OK } from '../shared/exit-codes.js';
import { createProgram, runProgram, setExitCode, silenced } from '../shared/program.js';
import { writeAll } from '../shared/streams.js';
import { UserError } from '../shared/user-error.js';
import { addCommonOptions, type CommonOptions, printResult, wholeNumber } from './options.js';
import { classesOf } from './prompts.js';
import { readInput } from './read-input.js';
import { casesOf, workspace } from './workspace.js';

interface BuildOptions extends CommonOptions {
  readonly count: number;
  readonly seed: number;
}

/** `selfedit cases`: tasks with known answers. */
export const run: RunCommand = (argv, io) => {
  const program = createProgram(
    'selfedit cases',
    'Builds, imports, checks or exports cases: tasks with known answers.',
    io,
  );
  const sub = (name: string, summary: string): Command =>
    silenced(program.command(name), io).description(summary);
  addCommonOptions(
    sub('build', 'Makes cases for the prompt rca: bundles whose loudest symptom is not the root.'),
  )
    .option('--count <n>', 'how many', wholeNumber(1, 20_000), 600)
    .option('--seed <n>', 'which ones', wholeNumber(0, 2 ** 48), 1)
    .action((options: BuildOptions) => build(options, io));
  addCommonOptions(sub('import', 'Takes cases from a file, one JSON object per line; all or none.'))
    .argument('<file>', 'file of cases, - for standard input')
    .action((file: string, options: CommonOptions) => importCases(file, options, io));
  addCommonOptions(
    sub('check', 'Says what is wrong with the cases, and how they split; 1 when something is.'),
  ).action(async (options: CommonOptions) => setExitCode(program, await check(options, io)));
  addCommonOptions(
    sub('export', 'Prints the cases in the test format of promptfoo, for people to look at.'),
  ).action((options: CommonOptions) => exportCases(options, io));
  program.action(() => program.outputHelp());
  return runProgram(program, argv, io);
};

async function build({ count, seed, ...options }: BuildOptions, io: CommandIo): Promise<void> {
  if (options.promptId !== 'rca') {
    throw new UserError({
      code: 'RA_SELFEDIT_INPUT',
      happened: `cases of the prompt ${options.promptId} cannot be made up`,
      todo: 'import recorded ones: robustness-agent selfedit cases import FILE',
    });
  }
  const { paths, promptId } = workspace(options, io);
  const cases = buildCases(count, seed, new Date().toISOString());
  writeCases(paths.cases(promptId), `generated-${seed}.jsonl`, cases);
  await report(cases, [], options, io);
}

async function importCases(file: string, options: CommonOptions, io: CommandIo): Promise<void> {
  const { paths, promptId } = workspace(options, io);
  const known = loadCases(paths.cases(promptId), promptId, new Set(classesOf(promptId)));
  const { cases, problems } = parseCases(await readInput(file, io), promptId, new Set(classesOf(promptId)));
  const ids = new Set(known.cases.map(({ case_id }) => case_id));
  const all = [
    ...problems,
    ...cases.filter(({ case_id }) => ids.has(case_id)).map(({ case_id }) => `${case_id} is there already`),
  ];
  if (all.length > 0 || cases.length === 0) {
    throw new UserError({
      code: 'RA_SELFEDIT_CASES',
      happened:
        all.length === 0
          ? `${file} holds no case`
          : `${all.length} cases cannot be used: ${all.slice(0, 3).join('; ')}`,
      todo: 'nothing was imported; correct the file',
    });
  }
  const name = `imported-${new Date().toISOString().replace(/\W/g, '')}.jsonl`;
  writeCases(paths.cases(promptId), name, cases);
  await report(cases, [], options, io);
}

async function check(options: CommonOptions, io: CommandIo): Promise<number> {
  const { paths, promptId } = workspace(options, io);
  const { cases, problems } = loadCases(paths.cases(promptId), promptId, new Set(classesOf(promptId)));
  await report(cases, problems, options, io);
  return problems.length === 0 ? EXIT_OK : EXIT_FOUND;
}

async function exportCases(options: CommonOptions, io: CommandIo): Promise<void> {
  const space = workspace(options, io);
  const cases = new CaseSet(casesOf(space, classesOf(space.promptId)));
  const tests = promptfooTests(space.promptId, cases);
  // One form for people and for programs: promptfoo reads it either way.
  await writeAll(io.stdout, `${JSON.stringify(tests, null, 2)}\n`);
}

async function report(
  cases: readonly Case[],
  problems: readonly string[],
  options: CommonOptions,
  io: CommandIo,
): Promise<void> {
  const { dev, confirm, audit } = new CaseSet(cases);
  const human_audit = audit.filter(({ source }) => source === 'human').length;
  const counts = {
    cases: cases.length,
    dev: dev.length,
    confirm: confirm.length,
    audit: audit.length,
    human_audit,
  };
  const lines = [
    `${cases.length} cases: ${dev.length} dev, ${confirm.length} confirm, ${audit.length} audit`,
    ...(audit.length > 0 && human_audit === 0
      ? ['note: no audit case was labelled by a human ("source": "human"); part of them should be']
      : []),
    ...problems.map((problem) => `problem: ${problem}`),
  ];
  await printResult(io, options, { ...counts, problems }, `${lines.join('\n')}\n`);
}
