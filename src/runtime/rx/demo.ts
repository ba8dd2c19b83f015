import { compareGates } from '../../rx/loop/compare-gates.js';
import { runJson } from '../../rx/loop/run-json.js';
import { runLoop } from '../../rx/loop/run-loop.js';
import type { LoopSettings } from '../../rx/loop/settings.js';
import { simulatorParts } from '../../rx/loop/simulated.js';
import type { RunCommand } from '../shared/command.js';
import { createProgram, runProgram } from '../shared/program.js';
import { writeAll } from '../shared/streams.js';
import { comparisonText } from './demo-text.js';
import { addGateOptions, type GateOptions } from './options.js';
import { Progress } from './progress.js';
import { runText } from './run-text.js';
import { checkSeeds, settingsOf } from './settings.js';

interface DemoOptions extends GateOptions {
  readonly json?: boolean;
}

const NOTES = `
Without --gate and --streams both are shown, the original with its own settings;
the other options then apply to ours alone.
Exit codes: 0 done; 2 usage.
`;

/** `rx demo`: the original's gate and ours side by side on the bundled simulator. */
export const run: RunCommand = (argv, io) => {
  const program = createProgram(
    'rx demo',
    'Repairs the bundled simulator, twice: the way of the original and ours.',
    io,
  );
  addGateOptions(program)
    .option('--json', 'the results as JSON')
    .addHelpText('after', NOTES)
    .action(async (options: DemoOptions) => {
      const settings = settingsOf(options);
      checkSeeds(settings);
      const progress = new Progress(io);
      const alone = options.gate !== undefined || options.streams !== undefined;
      const text = alone ? await one(settings, options) : await both(settings, options, progress);
      progress.done();
      await writeAll(io.stdout, text);
    });
  return runProgram(program, argv, io);
};

async function one(settings: LoopSettings, { json }: DemoOptions): Promise<string> {
  const result = await runLoop(simulatorParts(settings), settings);
  return json ? `${JSON.stringify(runJson(result), null, 2)}\n` : runText(result);
}

async function both(settings: LoopSettings, { json }: DemoOptions, progress: Progress): Promise<string> {
  const comparison = await compareGates(settings, (what) => progress.update(what));
  if (!json) return comparisonText(comparison);
  const { reference, ours } = comparison;
  const { run: original, ...originalFigures } = reference;
  const { run: own, ...ownFigures } = ours;
  const { model: _model, ...training } = ours.training;
  const shown = {
    reference: { ...runJson(original), ...originalFigures },
    ours: { ...runJson(own), ...ownFigures, training },
  };
  return `${JSON.stringify(shown, null, 2)}\n`;
}
