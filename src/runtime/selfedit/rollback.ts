import type { CommandIo, RunCommand } from '../shared/command.js';
import { createProgram, runProgram } from '../shared/program.js';
import { addCommonOptions, type CommonOptions, printResult, wholeNumber } from './options.js';
import { demandWrite, workspace } from './workspace.js';

interface RollbackOptions extends CommonOptions {
  readonly reason: string;
}

/** `selfedit rollback`: moves the pointer; no version is lost. */
export const run: RunCommand = (argv, io) => {
  const program = createProgram(
    'selfedit rollback',
    'Makes an earlier version of a prompt the current one.',
    io,
  );
  addCommonOptions(program)
    .argument('<version>', 'version to go back to', wholeNumber(1, 1e9))
    .requiredOption('--reason <text>', 'why; kept in the audit')
    .action((target: number, options: RollbackOptions) => act(target, options, io));
  return runProgram(program, argv, io);
};

async function act(target: number, options: RollbackOptions, io: CommandIo): Promise<void> {
  const { registry, promptId } = workspace(options, io);
  const from = registry.pointer()?.version ?? null;
  demandWrite(await registry.rollback(target, options.reason));
  const text = `${promptId}: version ${target} is current${from === null ? '' : `, was ${from}`}\n`;
  await printResult(
    io,
    options,
    { prompt_id: promptId, from, version: target, reason: options.reason },
    text,
  );
}
