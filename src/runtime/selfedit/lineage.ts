import type { VersionMeta } from '../../selfedit/registry/version-meta.js';
import type { CommandIo, RunCommand } from '../shared/command.js';
import { createProgram, runProgram } from '../shared/program.js';
import { addCommonOptions, type CommonOptions, printResult, wholeNumber } from './options.js';
import { currentPrompt, workspace } from './workspace.js';

interface LineageOptions extends CommonOptions {
  readonly from?: number;
}

/** `selfedit lineage`: the versions that led to one. */
export const run: RunCommand = (argv, io) => {
  const program = createProgram('selfedit lineage', 'Shows the versions that led to the current one.', io);
  addCommonOptions(program)
    .option('--from <version>', 'another version than the current one', wholeNumber(1, 1e9))
    .action((options: LineageOptions) => act(options, io));
  return runProgram(program, argv, io);
};

async function act(options: LineageOptions, io: CommandIo): Promise<void> {
  const space = workspace(options, io);
  const current = currentPrompt(space);
  const chain: VersionMeta[] = [];
  let next: number | undefined = options.from ?? current.version;
  while (next !== undefined && chain.every(({ version }) => version !== next)) {
    const meta: VersionMeta | null = space.registry.meta(next);
    if (meta === null) break;
    chain.push(meta);
    next = meta.parent_version;
  }
  const lines = chain.map(({ version, timestamp, hypothesis, wins, losses, n }) => {
    const figures = n === undefined ? '' : ` (${wins}/${losses} of ${n})`;
    return `v${version}  ${timestamp}  ${hypothesis ?? 'initial'}${figures}${version === current.version ? '  current' : ''}`;
  });
  await printResult(io, options, { current: current.version, lineage: chain }, `${lines.join('\n')}\n`);
}
