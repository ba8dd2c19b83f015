import type { RunCommand } from './shared/command.js';
import { type CommandGroup, runGroup } from './shared/command-group.js';

const GROUP: CommandGroup = {
  name: 'selfedit',
  about: [
    "Improves the agent's own prompts: small edits, measured on cases with known",
    'answers, promoted only when a statistical gate is satisfied.',
  ],
  commands: {
    demo: { summary: 'the whole loop offline, on made-up cases', load: () => import('./selfedit/demo.js') },
    init: { summary: 'make version 1 of a prompt', load: () => import('./selfedit/init.js') },
    cases: { summary: 'build, import, check or export cases', load: () => import('./selfedit/cases.js') },
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
    validate: {
      summary: 'check configuration, cases, registry',
      load: () => import('./selfedit/validate.js'),
    },
  },
  notes: [
    'Exit codes: 0 done, also when nothing was promoted; 1 a problem that the',
    'command looks for (validate, cases check, plan) or a version taken back (run);',
    '2 usage, configuration, state or provider failure.',
  ],
};

/** `robustness-agent selfedit …`: our own prompts get better, under a gate. */
export const run: RunCommand = (argv, io) => runGroup(GROUP, argv, io);
