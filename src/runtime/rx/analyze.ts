import { resolve } from 'node:path';
import { DEFAULT_ACTIONS } from '../../rx/actions/catalogue.js';
import { analyzeFindings, type FindingsAnalysis } from '../../rx/findings/analyze.js';
import { type LabelledSession, labelSession } from '../../rx/findings/labelled-episode.js';
import {
  FindingsPathError,
  locateSessions,
  readSession,
  type SessionLocation,
} from '../../rx/findings/session.js';
import type { Incident } from '../../rx/incidents/incident.js';
import { AdaptivePrioritizer } from '../../rx/learner/adaptive-prioritizer.js';
import { generateDataset, labelledRows } from '../../rx/learner/dataset.js';
import { readMemory } from '../../rx/learner/memory.js';
import { ReferencePrioritizer } from '../../rx/learner/reference-prioritizer.js';
import { findingsReport } from '../../rx/report/findings-report.js';
import { planReport } from '../../rx/report/plan-report.js';
import { formatProblem } from '../../rx/trace/trace-error.js';
import { planOf } from '../../rx/triage/plan.js';
import type { Prioritizer } from '../../rx/types.js';
import type { CommandIo, RunCommand } from '../shared/command.js';
import { createProgram, runProgram } from '../shared/program.js';
import { Progress } from '../shared/progress.js';
import { stateDir } from '../shared/state-dir.js';
import { writeAll } from '../shared/streams.js';
import { UserError } from '../shared/user-error.js';
import { DEFAULT_MAX_EVENTS, formatOption, loadBatch, type TraceInputOptions } from './load-batch.js';
import { wholeNumber } from './options.js';
import { writeReport } from './write-report.js';

/** Options of `rx analyze` as commander gives them. */
interface AnalyzeOptions extends TraceInputOptions {
  readonly findings?: readonly string[];
  readonly top: number;
  readonly pretrain: boolean;
  readonly memory: boolean;
  readonly seed: number;
  readonly output?: string;
  readonly json?: boolean;
}

const NOTES = `
PATHS are trace files or directories (their direct .ndjson and .jsonl files);
.json files are read as OTLP. With --findings the directories of sessions, or
directories of them, are read instead. Nothing is changed or tried.
Exit codes: 0 done, also with lines that could not be read; 2 usage or no input.
`;
const EPISODES = 60;
const WARNINGS = 10;

/** `rx analyze`: ranks what is worth fixing in traces or findings; runs no experiment. */
export const run: RunCommand = (argv, io) => {
  const program = createProgram('rx analyze', 'Ranks what is worth fixing, from traces or findings.', io);
  program
    .argument('[paths...]', 'trace files or directories')
    .option('--findings <dir...>', 'session directories, instead of traces')
    .option('--top <n>', 'how many to show', wholeNumber({ min: 1, max: 10_000 }), 5)
    .option('--pretrain', 'rank traces by the model of the original, trained first', false)
    .option('--no-pretrain', 'rank by what is known (default)')
    .option('--no-memory', 'do not use what earlier runs taught')
    .addOption(formatOption())
    .option('--max-events <n>', 'events to load, at most', wholeNumber({ min: 1 }), DEFAULT_MAX_EVENTS)
    .option('--seed <n>', 'of the folds when a model is fitted on findings', wholeNumber({ min: 0 }), 0)
    .option('--output <file>', 'write the report there; .html makes a page')
    .option('--json', 'the result as JSON')
    .addHelpText('after', NOTES)
    .action((paths: string[], options: AnalyzeOptions) => act(paths, options, io));
  return runProgram(program, argv, io);
};

async function act(paths: readonly string[], options: AnalyzeOptions, io: CommandIo): Promise<void> {
  const { findings } = options;
  if ((findings === undefined) === (paths.length === 0)) {
    throw new UserError({
      code: 'RA_USAGE',
      happened:
        findings === undefined ? 'nothing to analyse was named' : 'traces and --findings were both named',
      expected: 'trace files or directories, or --findings with session directories',
    });
  }
  if (findings === undefined) await analyzeTraces(paths, options, io);
  else await analyzeSessions(findings, options, io);
}

async function analyzeTraces(
  paths: readonly string[],
  options: AnalyzeOptions,
  io: CommandIo,
): Promise<void> {
  const progress = new Progress(io);
  const loaded = await loadBatch(paths, options, io, progress);
  const prioritizer = options.pretrain ? pretrained(progress) : await remembering(options, io);
  progress.update(`scoring ${loaded.table.size} events`);
  const plan = planOf(loaded.table, prioritizer, DEFAULT_ACTIONS, options.top);
  progress.done();
  const { problems, replaced, separated_runs } = loaded;
  for (const problem of problems.listed.slice(0, WARNINGS))
    await writeAll(io.stderr, `${formatProblem(problem)}\n`);
  if (problems.total > WARNINGS) await writeAll(io.stderr, `and ${problems.total - WARNINGS} more lines\n`);
  const notes = { problems, replaced, separated_runs };
  await writeReport({ document: planReport(plan, notes), json: { ...plan, ...notes } }, options, io);
}

async function analyzeSessions(
  directories: readonly string[],
  options: AnalyzeOptions,
  io: CommandIo,
): Promise<void> {
  const progress = new Progress(io);
  const locations = await locate(directories, io);
  const sessions: LabelledSession[] = [];
  for (const location of locations) {
    progress.update(`session ${sessions.length + 1} of ${locations.length}`);
    sessions.push(await labelSession(await readSession(location)));
  }
  const analysis = analyzeFindings(sessions, options.seed);
  progress.done();
  await writeReport(
    { document: findingsReport(analysis, options.top), json: shown(analysis, options.top) },
    options,
    io,
  );
}

async function locate(directories: readonly string[], io: CommandIo): Promise<SessionLocation[]> {
  try {
    const found = await Promise.all(
      directories.map((directory) => locateSessions(resolve(io.cwd, directory))),
    );
    return found.flat();
  } catch (error) {
    if (!(error instanceof FindingsPathError)) throw error;
    throw new UserError({
      code: 'RA_RX_INPUT',
      happened: error.message,
      expected: 'a session directory, or a directory of them',
    });
  }
}

function shown(analysis: FindingsAnalysis, top: number): FindingsAnalysis {
  return { ...analysis, patterns: analysis.patterns.slice(0, top), uplift: analysis.uplift.slice(0, top) };
}

/** The original's pretrained prioritizer (06 C.3). */
function pretrained(progress: Progress): Prioritizer<Incident> {
  const rows = generateDataset({
    episodes: EPISODES,
    streams: 'reference',
    seeds: 'reference',
    onEpisode: (done) => progress.update(`training: episode ${done} of ${EPISODES}`),
  });
  return new ReferencePrioritizer(labelledRows(rows, 'z'));
}

async function remembering(options: AnalyzeOptions, io: CommandIo): Promise<Prioritizer<Incident>> {
  const now = () => Date.now() / 1000;
  if (!options.memory) return new AdaptivePrioritizer({ now });
  const { outcomes, model, model_problem } = await readMemory(stateDir(io));
  return new AdaptivePrioritizer({
    outcomes,
    model,
    now,
    ...(model_problem === undefined ? {} : { model_problem }),
  });
}
