import { isObject, listOr, parseJson } from '../../foreign/json.js';
import { redactorFor } from '../../foreign/redact.js';
import { noteOutcome } from '../../selfedit/store/live-store.js';
import { parseTrace, type Trace } from '../../selfedit/store/parse-trace.js';
import type { CommandIo, RunCommand } from '../shared/command.js';
import { EXIT_FOUND, EXIT_OK } from '../shared/exit-codes.js';
import { createProgram, runProgram, setExitCode } from '../shared/program.js';
import { writeAll } from '../shared/streams.js';
import { addCommonOptions, type CommonOptions, printResult } from './options.js';
import { readInput } from './read-input.js';
import { takeBackWhatHarms, takenLine } from './take-back.js';
import { openStores, workspace } from './workspace.js';

const MOST_SHOWN = 20;

const NOTES = `
One JSON object per line, one JSON list, or one object over many lines. A trace
that cannot be used is named and left out; the others are stored. Credentials
are masked, inputs are cut at 16 KiB and outputs at 8 KiB. Labelled calls
of sessions are live outcomes.
Exit codes: 0 done; 1 done, and outcomes took a version back; 2 usage, or the
file cannot be read.
`;

/** `selfedit ingest`: stores recorded calls. */
export const run: RunCommand = (argv, io) => {
  const program = createProgram('selfedit ingest', 'Stores recorded calls of a prompt.', io);
  addCommonOptions(program)
    .argument('<file>', 'file of traces, - for standard input')
    .addHelpText('after', NOTES)
    .action(async (file: string, options: CommonOptions) =>
      setExitCode(program, await act(file, options, io)),
    );
  return runProgram(program, argv, io);
};

async function act(file: string, options: CommonOptions, io: CommandIo): Promise<number> {
  const space = workspace(options, io);
  const { good, problems } = readTraces(await readInput(file, io), space.promptId);
  const redact = redactorFor(io.env);
  const stores = await openStores(space);
  let stored = 0;
  let taken: string | null = null;
  try {
    stores.runs.together(() => {
      for (const trace of good) {
        const masked = {
          ...trace,
          task_input: redact(trace.task_input),
          final_output: redact(trace.final_output),
        };
        if (!stores.traces.add(masked)) continue;
        stored += 1;
        noteOutcome(stores.live, trace);
      }
    });
    taken = await takeBackWhatHarms(space, stores);
  } finally {
    stores.close();
  }
  const shown = problems.slice(0, MOST_SHOWN);
  if (shown.length > 0) await writeAll(io.stderr, `${shown.join('\n')}\n`);
  const known = good.length - stored;
  await printResult(
    io,
    options,
    { stored, known, refused: problems.length, problems: shown, rolled_back: taken },
    `${stored} traces stored, ${known} known already, ${problems.length} refused\n${takenLine(taken)}`,
  );
  return taken === null ? EXIT_OK : EXIT_FOUND;
}

function readTraces(content: string, promptId: string): { good: Trace[]; problems: string[] } {
  const good: Trace[] = [];
  const problems: string[] = [];
  const take = (value: unknown, where: string): void => {
    const reading = parseTrace(value, promptId);
    if (reading.ok) good.push(reading.trace);
    else problems.push(`${where}: ${reading.problem}`);
  };
  const whole = /^\s*[[{]/.test(content) ? parseJson(content) : null;
  if (whole?.ok) {
    const all = isObject(whole.value) ? [whole.value] : listOr(whole.value);
    for (const [index, item] of all.entries()) take(item, `trace ${index + 1}`);
    return { good, problems };
  }
  for (const [index, line] of content.split('\n').entries()) {
    if (line.trim() === '') continue;
    const json = parseJson(line);
    if (json.ok && isObject(json.value)) take(json.value, `line ${index + 1}`);
    else problems.push(`line ${index + 1}: ${json.ok ? 'is no object' : 'is not JSON'}`);
  }
  return { good, problems };
}
