import type { RunCommand } from './shared/command.js';
import { EXIT_FAILURE, EXIT_OK } from './shared/exit-codes.js';
import { writeAll } from './shared/streams.js';
import { UserError } from './shared/user-error.js';

interface SubCommand {
  readonly summary: string;
  readonly load: () => Promise<{ readonly run: RunCommand }>;
}

/** The sub-commands of `rx`; each module is loaded only when it is called. */
const SUB_COMMANDS: Readonly<Record<string, SubCommand>> = {
  demo: {
    summary: "our default gate beside the original's, on the bundled simulator",
    load: () => import('./rx/demo.js'),
  },
  run: {
    summary: 'repair a system: rank, propose, experiment, keep what helps',
    load: () => import('./rx/run.js'),
  },
  train: {
    summary: 'teach the ranking and test it on unseen episodes',
    load: () => import('./rx/train.js'),
  },
  analyze: {
    summary: 'rank what is worth fixing, from traces or findings',
    load: () => import('./rx/analyze.js'),
  },
  trace: {
    summary: 'write a trace of the bundled simulator',
    load: () => import('./rx/trace.js'),
  },
  compare: {
    summary: 'judge traces from before and after a change',
    load: () => import('./rx/compare.js'),
  },
};

/** `robustness-agent rx …`: what is worth fixing, and did the fix help. */
export const run: RunCommand = async (argv, io) => {
  const [name, ...rest] = argv;
  if (name === undefined || name === '--help' || name === '-h') {
    await writeAll(io.stdout, usage());
    return EXIT_OK;
  }
  const command = SUB_COMMANDS[name];
  try {
    if (command === undefined) {
      throw new UserError({
        code: 'RA_USAGE',
        happened: `rx has no command ${JSON.stringify(name)}`,
        expected: `one of ${Object.keys(SUB_COMMANDS).join(', ')}`,
      });
    }
    return await (await command.load()).run(rest, io);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    await writeAll(io.stderr, `${error.line}\n`);
    return EXIT_FAILURE;
  }
};

function usage(): string {
  const rows = Object.entries(SUB_COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(9)}${summary}`);
  return [
    'usage: robustness-agent rx COMMAND [OPTIONS]',
    '',
    'What is worth fixing, and did the fix help?',
    '',
    ...rows,
    '',
    'Options of a command: robustness-agent rx COMMAND --help',
    'Exit codes: 0 done; 1 only for compare --fail-on-regression; 2 usage, input',
    'or system failure.',
    '',
  ].join('\n');
}
