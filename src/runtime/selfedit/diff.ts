import { diffCounts, lineHunks } from '../../selfedit/prompt/line-diff.js';
import type { CommandIo, RunCommand } from '../shared/command.js';
import { createProgram, runProgram } from '../shared/program.js';
import { UserError } from '../shared/user-error.js';
import { addCommonOptions, type CommonOptions, printResult, wholeNumber } from './options.js';
import { currentPrompt, workspace } from './workspace.js';

const version = wholeNumber(1, 1e9);

/** `selfedit diff`: two versions side by side, as removed and added lines. */
export const run: RunCommand = (argv, io) => {
  const program = createProgram('selfedit diff', 'Shows what changed between two versions of a prompt.', io);
  addCommonOptions(program)
    .argument('<v1>', 'version before', version)
    .argument('<v2>', 'version after', version)
    .action((before: number, after: number, options: CommonOptions) => act(before, after, options, io));
  return runProgram(program, argv, io);
};

async function act(before: number, after: number, options: CommonOptions, io: CommandIo): Promise<void> {
  const space = workspace(options, io);
  currentPrompt(space);
  const [a, b] = [before, after].map((one) => {
    const text = space.registry.text(one);
    if (text !== null) return text;
    throw new UserError({
      code: 'RA_SELFEDIT_INPUT',
      happened: `the prompt ${space.promptId} has no version ${one}`,
      expected: `one of ${space.registry.versions().join(', ')}`,
    });
  });
  const hunks = lineHunks(a ?? '', b ?? '');
  const counts = diffCounts(a ?? '', b ?? '');
  const lines = hunks.flatMap((hunk) => [
    `@@ line ${hunk.at + 1}`,
    ...hunk.old.map((line) => `- ${line}`),
    ...hunk.new.map((line) => `+ ${line}`),
  ]);
  const text = hunks.length === 0 ? 'no changes\n' : `${lines.join('\n')}\n`;
  await printResult(io, options, { before, after, ...counts, hunks }, text);
}
