import { compareGates, type GateComparison } from '../../rx/loop/compare-gates.js';
import { runJson } from '../../rx/loop/run-json.js';
import { runLoop } from '../../rx/loop/run-loop.js';
import type { LoopSettings } from '../../rx/loop/settings.js';
import { simulatorParts } from '../../rx/loop/simulated.js';
import { remediationReport } from '../../rx/report/remediation-report.js';
import type { CommandIo, RunCommand } from '../shared/command.js';
import { createProgram, runProgram } from '../shared/program.js';
import { Progress } from '../shared/progress.js';
import { writeAll } from '../shared/streams.js';
import { comparisonText } from './demo-text.js';
import { addGateOptions, type GateOptions } from './options.js';
import { checkSeeds, settingsOf } from './settings.js';
import { writeReport } from './write-report.js';

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
      if (options.gate !== undefined || options.streams !== undefined) await one(settings, options, io);
      else await both(settings, options, io);
    });
  return runProgram(program, argv, io);
};

/** One gate alone, as the report of its run. */
async function one(settings: LoopSettings, options: DemoOptions, io: CommandIo): Promise<void> {
  const result = await runLoop(simulatorParts(settings), settings);
  await writeReport({ document: remediationReport(result), json: runJson(result) }, options, io);
}

async function both(settings: LoopSettings, { json }: DemoOptions, io: CommandIo): Promise<void> {
  const progress = new Progress(io);
  const comparison = await compareGates(settings, (what) => progress.update(what));
  progress.done();
  await writeAll(io.stdout, json ? comparisonJson(comparison) : comparisonText(comparison));
}

function comparisonJson(comparison: GateComparison): string {
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
