import { compareReport } from '../../rx/report/compare-report.js';
import { formatProblem } from '../../rx/trace/trace-error.js';
import { compareBatches } from '../../rx/triage/compare.js';
import type { CommandIo, RunCommand } from '../shared/command.js';
import { EXIT_FOUND, EXIT_OK } from '../shared/exit-codes.js';
import { createProgram, runProgram, setExitCode } from '../shared/program.js';
import { Progress } from '../shared/progress.js';
import { writeAll } from '../shared/streams.js';
import { DEFAULT_MAX_EVENTS, formatOption, loadBatch, type TraceInputOptions } from './load-batch.js';
import { wholeNumber } from './options.js';
import { writeReport } from './write-report.js';

interface CompareOptions extends TraceInputOptions {
  readonly failOnRegression: boolean;
  readonly seed: number;
  readonly output?: string;
  readonly json?: boolean;
}

const NOTES = `
Runs with the same name on both sides are compared pair by pair; otherwise run
labels are permuted. Fewer than four runs (pairs) on a side are only described.
Exit codes: 0 done; 1 a significant regression, with --fail-on-regression; 2
usage or no input.
`;
const WARNINGS = 10;

/** `rx compare`: two batches of traces, judged run by run. */
export const run: RunCommand = (argv, io) => {
  const program = createProgram('rx compare', 'Compares traces from before and after a change.', io);
  program
    .argument('<before>', 'trace file or directory')
    .argument('<after>', 'trace file or directory')
    .option('--fail-on-regression', 'exit with 1 on a significant harm', false)
    .addOption(formatOption())
    .option(
      '--max-events <n>',
      'events to load per side, at most',
      wholeNumber({ min: 1 }),
      DEFAULT_MAX_EVENTS,
    )
    .option('--seed <n>', 'of permutations and intervals', wholeNumber({ min: 0, max: 2 ** 50 }), 0)
    .option('--output <file>', 'write the report there; .html makes a page')
    .option('--json', 'the result as JSON')
    .addHelpText('after', NOTES)
    .action(async (before: string, after: string, options: CompareOptions) => {
      setExitCode(program, await act(before, after, options, io));
    });
  return runProgram(program, argv, io);
};

async function act(before: string, after: string, options: CompareOptions, io: CommandIo): Promise<number> {
  const progress = new Progress(io);
  const first = await loadBatch([before], options, io, progress);
  const second = await loadBatch([after], options, io, progress);
  progress.update('comparing');
  const comparison = compareBatches(first.table, second.table, options.seed);
  progress.done();
  for (const { problems } of [first, second]) {
    for (const problem of problems.listed.slice(0, WARNINGS))
      await writeAll(io.stderr, `${formatProblem(problem)}\n`);
    if (problems.total > WARNINGS) await writeAll(io.stderr, `and ${problems.total - WARNINGS} more lines\n`);
  }
  const json = { ...comparison, problems: { before: first.problems, after: second.problems } };
  await writeReport({ document: compareReport(comparison), json }, options, io);
  return options.failOnRegression && comparison.rates.regression ? EXIT_FOUND : EXIT_OK;
}
