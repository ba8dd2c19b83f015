import { existsSync } from 'node:fs';
import { loadCases } from '../../selfedit/cases/case-files.js';
import { frozenSections } from '../../selfedit/prompt/frozen.js';
import type { CommandIo, RunCommand } from '../shared/command.js';
import { EXIT_FOUND, EXIT_OK } from '../shared/exit-codes.js';
import { createProgram, runProgram, setExitCode } from '../shared/program.js';
import { UserError } from '../shared/user-error.js';
import { addCommonOptions, type CommonOptions, printResult } from './options.js';
import { classesOf } from './prompts.js';
import { type Workspace, workspace } from './workspace.js';

interface Validation {
  readonly check: 'config' | 'registry' | 'cases' | 'frozen';
  readonly passed: boolean;
  readonly details: readonly string[];
}

const NOTES = `
Exit codes: 0 all is well; 1 something is not; 2 usage.
`;

/** `selfedit validate`: configuration, cases, registry. */
export const run: RunCommand = (argv, io) => {
  const program = createProgram(
    'selfedit validate',
    'Checks configuration, cases and registry; changes nothing.',
    io,
  );
  addCommonOptions(program)
    .addHelpText('after', NOTES)
    .action(async (options: CommonOptions) => setExitCode(program, await act(options, io)));
  return runProgram(program, argv, io);
};

async function act(options: CommonOptions, io: CommandIo): Promise<number> {
  const checks = checksOf(options, io);
  const all_pass = checks.every(({ passed }) => passed);
  const lines = checks.flatMap(({ check, passed, details }) => [
    `${passed ? 'ok  ' : 'FAIL'}  ${check}`,
    ...details.map((detail) => `      ${detail}`),
  ]);
  await printResult(io, options, { all_pass, checks }, `${lines.join('\n')}\n`);
  return all_pass ? EXIT_OK : EXIT_FOUND;
}

function checksOf(options: CommonOptions, io: CommandIo): Validation[] {
  let space: Workspace;
  try {
    space = workspace(options, io);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [{ check: 'config', passed: false, details: [error.message] }];
  }
  const { registry, paths, promptId } = space;
  const problems = existsSync(paths.registry(promptId))
    ? registry.problems()
    : ['there is no version yet: selfedit init'];
  const cases = loadCases(paths.cases(promptId), promptId, new Set(classesOf(promptId)));
  const frozen = frozenSections(registry.current()?.text ?? '');
  return [
    { check: 'config', passed: true, details: [] },
    { check: 'registry', passed: problems.length === 0, details: problems },
    {
      check: 'cases',
      passed: cases.problems.length === 0,
      details: [...cases.problems, `${cases.cases.length} cases`],
    },
    {
      check: 'frozen',
      passed: frozen.ok,
      details: frozen.ok
        ? [`${frozen.sections.length} frozen sections`]
        : [`malformed marker in line ${frozen.line + 1}`],
    },
  ];
}
