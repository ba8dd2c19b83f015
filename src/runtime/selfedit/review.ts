import type { Command } from 'commander';
import type { CommandIo, RunCommand } from '../shared/command.js';
import { createProgram, runProgram, silenced } from '../shared/program.js';
import { UserError } from '../shared/user-error.js';
import { addCommonOptions, type CommonOptions, printResult, wholeNumber } from './options.js';
import { openStores, workspace } from './workspace.js';

interface DecideOptions extends CommonOptions {
  readonly reviewer: string;
  readonly note: string;
  readonly shadow?: boolean;
}

/** `selfedit review`: what waits for a human (spec 08 §24.10). */
export const run: RunCommand = (argv, io) => {
  const program = createProgram('selfedit review', 'Lists and decides what waits for a human.', io);
  const sub = (name: string, summary: string): Command =>
    addCommonOptions(silenced(program.command(name), io).description(summary));
  const deciding = (name: string, summary: string): Command =>
    sub(name, summary)
      .argument('<review>', 'number of the review', wholeNumber(1, 1e12))
      .requiredOption('--reviewer <name>', 'who decides')
      .requiredOption('--note <text>', 'why');
  sub('list', 'Lists all, oldest first; what is open for 14 days expires.').action((options: CommonOptions) =>
    list(options, io),
  );
  deciding('approve', 'Asks for more evidence on an edit, or clears a freeze.')
    .option('--shadow', 'by running it beside the current prompt')
    .action((review: number, options: DecideOptions) =>
      decide(review, options.shadow ? 'approved_shadow' : 'approved_extend', options, io),
    );
  deciding('reject', 'Turns an edit down.').action((review: number, options: DecideOptions) =>
    decide(review, 'rejected', options, io),
  );
  program.action(() => program.outputHelp());
  return runProgram(program, argv, io);
};

async function list(options: CommonOptions, io: CommandIo): Promise<void> {
  const space = workspace(options, io);
  const stores = await openStores(space);
  try {
    const reviews = stores.reviews.list(space.promptId);
    const lines = reviews.map(
      ({ review_id, edit_id, kind, state, note }) =>
        `${review_id}  ${edit_id}  ${kind}  ${state}  ${note ?? ''}`,
    );
    await printResult(
      io,
      options,
      { reviews },
      `${lines.length === 0 ? 'nothing waits' : lines.join('\n')}\n`,
    );
  } finally {
    stores.close();
  }
}

async function decide(
  review: number,
  state: 'approved_extend' | 'approved_shadow' | 'rejected',
  options: DecideOptions,
  io: CommandIo,
): Promise<void> {
  const space = workspace(options, io);
  const stores = await openStores(space);
  try {
    if (!stores.reviews.decide(review, state, options)) {
      throw new UserError({
        code: 'RA_SELFEDIT_INPUT',
        happened: `there is no open review ${review}`,
        todo: 'see them with: robustness-agent selfedit review list',
      });
    }
    await printResult(io, options, { review_id: review, state }, `review ${review}: ${state}\n`);
  } finally {
    stores.close();
  }
}
