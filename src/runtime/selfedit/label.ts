import { answerOf } from '../../selfedit/scorers/answer-of.js';
import type { CommandIo, RunCommand } from '../shared/command.js';
import { EXIT_FOUND, EXIT_OK } from '../shared/exit-codes.js';
import { createProgram, runProgram, setExitCode } from '../shared/program.js';
import { UserError } from '../shared/user-error.js';
import { addCommonOptions, type CommonOptions, printResult } from './options.js';
import { classesOf } from './prompts.js';
import { takeBackWhatHarms, takenLine } from './take-back.js';
import { openStores, workspace } from './workspace.js';

const MOST_SHOWN = 20;

const NOTES = `
Without TRACE the latest calls of sessions are listed that nobody has labelled.
Labels are what live outcomes are made of: evidence that a promoted version does
worse than the one before takes it back at once.
Exit codes: 0 done; 1 done, and a version was taken back; 2 usage, or no such
trace.
`;

/** `selfedit label`: what was right. */
export const run: RunCommand = (argv, io) => {
  const program = createProgram('selfedit label', 'Says what was the right answer to a recorded call.', io);
  addCommonOptions(program)
    .argument('[trace]', 'trace_uid of the call')
    .argument('[class]', 'the right class, error type or action')
    .addHelpText('after', NOTES)
    .action(async (trace: string | undefined, name: string | undefined, options: CommonOptions) => {
      if (trace === undefined) return list(options, io);
      setExitCode(program, await act(trace, name, options, io));
    });
  return runProgram(program, argv, io);
};

async function list(options: CommonOptions, io: CommandIo): Promise<void> {
  const space = workspace(options, io);
  const stores = await openStores(space);
  try {
    const traces = stores.traces.unlabelled(space.promptId, MOST_SHOWN).map((row) => ({
      trace_uid: row.trace_uid,
      timestamp: row.timestamp,
      session_id: row.session_id,
      prompt_version: row.prompt_version,
      task_id: row.task_id,
      answer: answerOf(row.final_output),
    }));
    const lines = traces.map(({ trace_uid, timestamp, session_id, task_id, answer }) =>
      [trace_uid, `  ${timestamp}  ${session_id}  ${task_id}: ${answer || 'nothing named'}`].join('\n'),
    );
    const text = lines.length === 0 ? 'no call of a session waits for a label' : lines.join('\n');
    await printResult(io, options, { traces }, `${text}\n`);
  } finally {
    stores.close();
  }
}

async function act(
  uid: string,
  name: string | undefined,
  options: CommonOptions,
  io: CommandIo,
): Promise<number> {
  const space = workspace(options, io);
  const classes = classesOf(space.promptId);
  if (name === undefined || (classes.length > 0 && !classes.includes(name))) {
    throw new UserError({
      code: 'RA_SELFEDIT_INPUT',
      happened:
        name === undefined
          ? 'a label needs the right class'
          : `${JSON.stringify(name)} is no class of ${space.promptId}`,
      expected: classes.length === 0 ? 'TRACE CLASS' : `one of ${classes.join(', ')}`,
    });
  }
  const stores = await openStores(space);
  try {
    const trace = stores.traces.find(uid);
    if (trace === null || trace.prompt_id !== space.promptId) {
      throw new UserError({
        code: 'RA_SELFEDIT_INPUT',
        happened: `the prompt ${space.promptId} has no trace ${uid}`,
        todo: 'check the id and --prompt-id',
      });
    }
    const isRight = answerOf(trace.final_output) === name;
    stores.traces.label(uid, name, isRight, 'operator');
    if (trace.session_id !== null && trace.prompt_version !== null) {
      stores.live.set(space.promptId, trace.prompt_version, uid, isRight);
    }
    const taken = await takeBackWhatHarms(space, stores);
    await printResult(
      io,
      options,
      { trace_uid: uid, expected: name, success: isRight, rolled_back: taken },
      `${uid}: expected ${name}, the answer was ${isRight ? 'right' : 'wrong'}\n${takenLine(taken)}`,
    );
    return taken === null ? EXIT_OK : EXIT_FOUND;
  } finally {
    stores.close();
  }
}
