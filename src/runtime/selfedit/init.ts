import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { normaliseLines } from '../../selfedit/prompt/edit.js';
import { frozenSections } from '../../selfedit/prompt/frozen.js';
import type { CommandIo, RunCommand } from '../shared/command.js';
import { createProgram, runProgram } from '../shared/program.js';
import { UserError } from '../shared/user-error.js';
import { addCommonOptions, type CommonOptions, printResult } from './options.js';
import { builtInPrompt } from './prompts.js';
import { demandWrite, workspace } from './workspace.js';

interface InitOptions extends CommonOptions {
  readonly prompt?: string;
}

const MAX_BYTES = 32 * 1024;

const NOTES = `
Lines between <!-- frozen: NAME --> and <!-- frozen --> are never changed by an
edit. An existing registry is left as it is.
Exit codes: 0 done; 2 usage, or there is a version already.
`;

/** `selfedit init`: version 1 of a prompt, from the built-in text or a file. */
export const run: RunCommand = (argv, io) => {
  const program = createProgram('selfedit init', 'Makes version 1 of a prompt.', io);
  addCommonOptions(program)
    .option('--prompt <file>', 'text of version 1; else the built-in one')
    .addHelpText('after', NOTES)
    .action((options: InitOptions) => act(options, io));
  return runProgram(program, argv, io);
};

async function act(options: InitOptions, io: CommandIo): Promise<void> {
  const { registry, promptId, paths } = workspace(options, io);
  const text =
    options.prompt === undefined
      ? await builtInPrompt(promptId)
      : readPrompt(resolve(io.cwd, options.prompt));
  if (Buffer.byteLength(text) > MAX_BYTES) throw inputError('the prompt is larger than 32 KiB', 'shorten it');
  const frozen = frozenSections(text);
  if (!frozen.ok)
    throw inputError(
      `line ${frozen.line + 1} holds a malformed frozen marker`,
      'write <!-- frozen: NAME -->',
    );
  const version = demandWrite(await registry.initialise(text));
  const directory = paths.registry(promptId);
  await printResult(
    io,
    options,
    { prompt_id: promptId, version, directory, frozen_sections: frozen.sections.length },
    `${promptId}: version ${version} written to ${directory}, ${frozen.sections.length} frozen sections\n`,
  );
}

function readPrompt(path: string): string {
  try {
    if (statSync(path).size > MAX_BYTES) throw new Error('it is larger than 32 KiB');
    const text = normaliseLines(readFileSync(path, 'utf8'));
    if (text.trim() === '') throw new Error('it is empty');
    return text;
  } catch (error) {
    throw inputError(
      `${path} cannot be used: ${error instanceof Error ? error.message : String(error)}`,
      'name a text file',
    );
  }
}

function inputError(happened: string, todo: string): UserError {
  return new UserError({ code: 'RA_SELFEDIT_INPUT', happened, todo });
}
