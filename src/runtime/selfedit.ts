import type { RunCommand } from './shared/command.js';
import { EXIT_FAILURE, EXIT_OK } from './shared/exit-codes.js';
import { writeAll } from './shared/streams.js';
import { UserError } from './shared/user-error.js';

interface SubCommand {
  readonly summary: string;
  readonly load: () => Promise<{ readonly run: RunCommand }>;
}

/** The sub-commands of `selfedit`; each module is loaded only when it is called. */
const SUB_COMMANDS: Readonly<Record<string, SubCommand>> = {
  demo: { summary: 'the whole loop offline, on made-up cases', load: () => import('./selfedit/demo.js') },
  init: { summary: 'make version 1 of a prompt', load: () => import('./selfedit/init.js') },
  cases: { summary: 'build, import or check cases', load: () => import('./selfedit/cases.js') },
  ingest: { summary: 'store recorded calls', load: () => import('./selfedit/ingest.js') },
  label: { summary: 'say what was right for a recorded call', load: () => import('./selfedit/label.js') },
  plan: { summary: 'what a run could show and would cost', load: () => import('./selfedit/plan.js') },
  propose: { summary: 'ask for edits, measure none', load: () => import('./selfedit/propose.js') },
  run: { summary: 'propose, measure, and promote what helps', load: () => import('./selfedit/run.js') },
  status: { summary: 'version, epoch, spending, reviews', load: () => import('./selfedit/status.js') },
  diff: { summary: 'what changed between two versions', load: () => import('./selfedit/diff.js') },
  lineage: { summary: 'where the current version comes from', load: () => import('./selfedit/lineage.js') },
  rollback: { summary: 'make an earlier version current', load: () => import('./selfedit/rollback.js') },
  guardrails: { summary: 'why edits passed or failed', load: () => import('./selfedit/guardrails.js') },
  review: { summary: 'what waits for a human', load: () => import('./selfedit/review.js') },
  'audit-set': {
    summary: 'honest accuracy on the audit cases',
    load: () => import('./selfedit/audit-set.js'),
  },
  validate: { summary: 'check configuration, cases, registry', load: () => import('./selfedit/validate.js') },
};

/** `robustness-agent selfedit …`: our own prompts get better, under a gate. */
export const run: RunCommand = async (argv, io) => {
  const [name, ...rest] = argv;
  if (name === undefined || name === '--help' || name === '-h') {
    await writeAll(io.stdout, usage());
    return EXIT_OK;
  }
  const command = Object.hasOwn(SUB_COMMANDS, name) ? SUB_COMMANDS[name] : undefined;
  try {
    if (command === undefined) {
      throw new UserError({
        code: 'RA_USAGE',
        happened: `selfedit has no command ${JSON.stringify(name)}`,
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
  const rows = Object.entries(SUB_COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(12)}${summary}`);
  return [
    'usage: robustness-agent selfedit COMMAND [OPTIONS]',
    '',
    "Improves the agent's own prompts: small edits, measured on cases with known",
    'answers, promoted only when a statistical gate is satisfied.',
    '',
    ...rows,
    '',
    'Options of a command: robustness-agent selfedit COMMAND --help',
    'Exit codes: 0 done, also when nothing was promoted; 1 a problem that the',
    'command looks for (validate, cases check, plan) or a version taken back (run);',
    '2 usage, configuration, state or provider failure.',
    '',
  ].join('\n');
}
