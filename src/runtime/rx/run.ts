import { Option } from 'commander';
import { type RunRequest, SystemFailure } from '../../rx/adapters/system.js';
import type { AaCheck } from '../../rx/experiment/aa-check.js';
import type { Incident } from '../../rx/incidents/incident.js';
import { scoreIncidents } from '../../rx/incidents/score.js';
import { AdaptivePrioritizer } from '../../rx/learner/adaptive-prioritizer.js';
import { ReferencePrioritizer } from '../../rx/learner/reference-prioritizer.js';
import { runJson } from '../../rx/loop/run-json.js';
import { type LoopProgress, runLoop } from '../../rx/loop/run-loop.js';
import type { RunResult } from '../../rx/loop/run-result.js';
import type { LoopSettings } from '../../rx/loop/settings.js';
import { remediationReport } from '../../rx/report/remediation-report.js';
import type { Catalogue, Prioritizer } from '../../rx/types.js';
import type { CommandIo, RunCommand } from '../shared/command.js';
import { createProgram, runProgram } from '../shared/program.js';
import { Progress } from '../shared/progress.js';
import { writeAll } from '../shared/streams.js';
import { UserError } from '../shared/user-error.js';
import { readCatalogueFile } from './catalogue-file.js';
import { heuristicProposer, llmProposer } from './llm-proposer.js';
import { addGateOptions, anyNumber, type GateOptions, wholeNumber } from './options.js';
import { rememberingPrioritizer } from './run-memory.js';
import { type ChosenSystem, chooseProgram, chooseSimulator } from './run-system.js';
import { settingsOf } from './settings.js';
import { writeReport } from './write-report.js';

/** Options of `rx run` as commander gives them. */
export interface RunOptions extends GateOptions {
  readonly maxIters: number;
  readonly llm: boolean;
  readonly output?: string;
  readonly adapter: 'sim' | 'exec';
  readonly command?: string;
  readonly catalogue?: string;
  readonly memory: boolean;
  readonly aaPairs: number;
  readonly runTimeoutS: number;
  readonly maxOutputMb: number;
  readonly json?: boolean;
}

const NOTES = `
With --adapter exec the command is started for every run with RX_CONFIG_JSON,
RX_SEED, RX_ARM and RX_OUT in its environment; it writes its events to the file
RX_OUT and ends with 0. It is first run against itself (--aa-pairs).
Exit codes: 0 done, also when nothing was accepted; 2 usage, catalogue, or a
system that cannot be run or trusted.
`;

/** `rx run`: the remediation loop on the simulator or on a real system. */
export const run: RunCommand = (argv, io) => {
  const program = createProgram(
    'rx run',
    'Repairs a system: ranks its failures, tries fixes, keeps what helps.',
    io,
  );
  program.option('--max-iters <n>', 'attempts, at most', wholeNumber({ max: 1000 }), 8);
  addGateOptions(program)
    .addOption(new Option('--adapter <kind>', 'what to repair').choices(['sim', 'exec']).default('sim'))
    .option('--command <line>', 'command line of the real system (exec)')
    .option('--catalogue <file>', 'knobs and actions as JSON; else those of the simulator')
    .option(
      '--aa-pairs <n>',
      'control-against-control pairs (exec); 0: none',
      wholeNumber({ min: 0, max: 1000 }),
      10,
    )
    .option('--run-timeout-s <s>', 'time limit of a run (exec)', anyNumber({ min: 0.1, max: 86_400 }), 600)
    .option(
      '--max-output-mb <n>',
      'limit of RX_OUT of a run (exec)',
      anyNumber({ min: 0.001, max: 4096 }),
      64,
    )
    .option('--llm', 'let a model choose among the actions; the heuristic stands in', false)
    .option('--no-llm', 'the heuristic alone (default)')
    .option('--no-memory', 'neither use nor write what earlier runs taught')
    .option('--output <file>', 'write the report there; .html makes a page')
    .option('--json', 'the result as JSON')
    .addHelpText('after', NOTES)
    .action((options: RunOptions) => act(options, io));
  return runProgram(program, argv, io);
};

async function act(options: RunOptions, io: CommandIo): Promise<void> {
  const catalogue = readCatalogueFile(options.catalogue, io.cwd);
  const wanted = { ...settingsOf(options), max_iters: options.maxIters };
  const progress = new Progress(io);
  const work = (signal?: AbortSignal) => repair(options, wanted, catalogue, io, progress, signal);
  const result = options.adapter === 'exec' ? await withInterrupt(work) : await work();
  progress.done();
  await writeReport({ document: remediationReport(result), json: runJson(result) }, options, io);
}

async function repair(
  options: RunOptions,
  wanted: LoopSettings,
  catalogue: Catalogue,
  io: CommandIo,
  progress: Progress,
  signal?: AbortSignal,
): Promise<RunResult> {
  let step = 'checking the system against itself';
  const onRun = ({ arm, seed }: RunRequest, count: number): void =>
    progress.update(`${step} (run ${count}: ${arm}, seed ${seed})`);
  const proposer = options.llm ? llmProposer(io) : heuristicProposer();
  try {
    const { system, settings, groundTruth, aa }: ChosenSystem =
      options.adapter === 'exec'
        ? await chooseProgram(options, wanted, catalogue, io, onRun, signal)
        : chooseSimulator(options, wanted, catalogue);
    const parts = {
      system,
      catalogue,
      score: scoreIncidents,
      prioritizer: await prioritizerFor(settings, options, io),
      propose: proposer.propose,
      notes: () => [...harnessNotes(aa, settings), ...proposer.notes],
      onProgress: (what: LoopProgress) => {
        if (what.stage === 'verdict' && what.iteration.accepted && what.iteration.right_lever)
          proposer.accepted(what.iteration);
        step = progressText(what);
        progress.update(step);
      },
      ...(groundTruth === undefined ? {} : { groundTruth }),
      ...(aa === undefined ? {} : { aa }),
    };
    return await runLoop(parts, settings);
  } catch (error) {
    if (!(error instanceof SystemFailure)) throw error;
    throw new UserError({ code: 'RA_RX_SYSTEM', happened: error.message });
  } finally {
    const lost = await proposer.close();
    if (lost !== undefined) await writeAll(io.stderr, `traces of the proposals are lost: ${lost}\n`);
  }
}

async function prioritizerFor(
  settings: LoopSettings,
  options: RunOptions,
  io: CommandIo,
): Promise<Prioritizer<Incident>> {
  const now = (): number => Date.now() / 1000;
  if (settings.gate === 'z') return new ReferencePrioritizer();
  return options.memory ? rememberingPrioritizer(io, now) : new AdaptivePrioritizer({ now });
}

/** Ends what was started when the user interrupts. */
async function withInterrupt<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const abort = new AbortController();
  const interrupt = (): void => abort.abort();
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  try {
    return await work(abort.signal);
  } finally {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
}

/** What the check of the harness means for the run. */
function harnessNotes(aa: AaCheck | undefined, settings: LoopSettings): string[] {
  if (aa === undefined) return [];
  const repeat = aa.reproducible ? 'equal seeds gave equal runs' : 'equal seeds did not give equal runs';
  return [
    `Control against control, ${aa.n_pairs} pairs: ${repeat}, hence at most ${settings.max_pairs} pairs per attempt.`,
  ];
}

function progressText(step: LoopProgress): string {
  if (step.stage === 'headline') return 'measuring the headline';
  if (step.stage === 'verdict') return `${step.iteration.action_id}: ${step.iteration.verdict}`;
  return `attempt ${step.index} of at most ${step.of}: ${step.what}`;
}
