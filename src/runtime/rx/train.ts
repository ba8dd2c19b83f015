import { type DatasetPlan, generateDataset, labelledRows } from '../../rx/learner/dataset.js';
import { hashRows, modelPath, writeModel } from '../../rx/learner/memory.js';
import { toModelFile } from '../../rx/learner/model-file.js';
import { type Training, trainHonest, trainReference } from '../../rx/learner/train.js';
import type { GateKind } from '../../rx/loop/run-result.js';
import { paragraph } from '../../rx/report/document.js';
import { referenceTrainingLine, trainingReport } from '../../rx/report/training-report.js';
import type { SimulatorStreams } from '../../rx/simulator/draws.js';
import type { CommandIo, RunCommand } from '../shared/command.js';
import { createProgram, runProgram } from '../shared/program.js';
import { Progress } from '../shared/progress.js';
import { stateDir } from '../shared/state-dir.js';
import { writeAll } from '../shared/streams.js';
import { UserError } from '../shared/user-error.js';
import { anyNumber, gateOption, streamsOption, wholeNumber } from './options.js';
import { writeReport } from './write-report.js';

interface TrainOptions {
  readonly episodes: number;
  readonly testFrac: number;
  readonly gate?: GateKind;
  readonly streams?: SimulatorStreams;
  readonly seed: number;
  readonly memory: boolean;
  readonly output?: string;
  readonly json?: boolean;
}

const NOTES = `
Draws broken configurations, tries the first fix of every incident and learns
which fixes help. The model is kept for rx run and rx analyze; --no-memory keeps
none. --gate z evaluates the way of the original and keeps no model.
Exit codes: 0 done; 2 usage, or the model cannot be written.
`;
const SMALLEST_SHARE = 0.001;

/** `rx train`: teaches the prioritizer on simulated episodes and says how well it does on unseen ones. */
export const run: RunCommand = (argv, io) => {
  const program = createProgram('rx train', 'Trains the ranking and tests it on unseen episodes.', io);
  program
    .option('--episodes <n>', 'broken configurations to draw', wholeNumber({ min: 2, max: 100_000 }), 60)
    .option(
      '--test-frac <x>',
      'share of the episodes that only tests',
      anyNumber({ min: SMALLEST_SHARE, max: 1 - SMALLEST_SHARE }),
      0.3,
    )
    .addOption(gateOption())
    .addOption(streamsOption())
    .option('--seed <n>', 'of the split and the intervals', wholeNumber({ min: 0, max: 2 ** 50 }), 0)
    .option('--no-memory', 'keep no model')
    .option('--output <file>', 'write the report there; .html makes a page')
    .option('--json', 'the result as JSON')
    .addHelpText('after', NOTES)
    .action((options: TrainOptions) => act(options, io));
  return runProgram(program, argv, io);
};

async function act(options: TrainOptions, io: CommandIo): Promise<void> {
  const progress = new Progress(io);
  const original = options.gate === 'z';
  const plan: DatasetPlan = {
    episodes: options.episodes,
    streams: options.streams ?? 'reference',
    seeds: original ? 'reference' : 'disjoint',
    onEpisode: (done) => progress.update(`episode ${done} of ${options.episodes}`),
  };
  const rows = labelledRows(generateDataset(plan), original ? 'z' : 'paired');
  if (original) {
    progress.done();
    const training = trainReference(rows, options.testFrac, options.seed);
    await writeReport(
      { document: [paragraph(referenceTrainingLine(training))], json: training },
      options,
      io,
    );
    return;
  }
  progress.update('evaluating');
  const training = trainHonest(rows, { test_fraction: options.testFrac, seed: options.seed });
  progress.done();
  const { model: _model, ...shown } = training;
  const model_file = options.memory ? await keep(training, hashRows(rows), io) : null;
  await writeReport({ document: trainingReport(training), json: { ...shown, model_file } }, options, io);
}

/** Writes the model and returns its path; null when there is none to write. */
async function keep({ model }: Training, logHash: string, io: CommandIo): Promise<string | null> {
  if (model === null) return null;
  const directory = stateDir(io);
  const path = modelPath(directory);
  try {
    await writeModel(directory, toModelFile(model, logHash));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UserError({
      code: 'RA_OUTPUT',
      happened: `${path} cannot be written: ${reason}`,
      todo: 'set ROBUSTNESS_STATE_DIR, or use --no-memory',
    });
  }
  await writeAll(io.stderr, `model kept in ${path}\n`);
  return path;
}
