import type { RunCommand } from './shared/command.js';
import { type CommandGroup, runGroup } from './shared/command-group.js';

const GROUP: CommandGroup = {
  name: 'rx',
  about: ['What is worth fixing, and did the fix help?'],
  commands: {
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
  },
  notes: [
    'Exit codes: 0 done; 1 only for compare --fail-on-regression; 2 usage, input',
    'or system failure.',
  ],
};

/** `robustness-agent rx …`: what is worth fixing, and did the fix help. */
export const run: RunCommand = (argv, io) => runGroup(GROUP, argv, io);
