import { isObject } from '../../foreign/json.js';
import { jsonObjectIn } from '../../selfedit/scorers/json-answer.js';
import type { CommandIo, RunCommand } from '../shared/command.js';
import { createProgram, runProgram } from '../shared/program.js';
import { UserError } from '../shared/user-error.js';
import { addCommonOptions, type CommonOptions, printResult } from './options.js';
import { classesOf } from './prompts.js';
import { openStores, workspace } from './workspace.js';

/** `selfedit label`: what was right. */
export const run: RunCommand = (argv, io) => {
  const program = createProgram('selfedit label', 'Says what was the right answer to a recorded call.', io);
  addCommonOptions(program)
    .argument('<trace>', 'trace_uid of the call')
    .argument('<class>', 'the right class, error type or action')
    .action((trace: string, name: string, options: CommonOptions) => act(trace, name, options, io));
  return runProgram(program, argv, io);
};

async function act(uid: string, name: string, options: CommonOptions, io: CommandIo): Promise<void> {
  const space = workspace(options, io);
  const classes = classesOf(space.promptId);
  if (classes.length > 0 && !classes.includes(name)) {
    throw new UserError({
      code: 'RA_SELFEDIT_INPUT',
      happened: `${JSON.stringify(name)} is no class of ${space.promptId}`,
      expected: `one of ${classes.join(', ')}`,
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
      stores.live.add(space.promptId, trace.prompt_version, uid, isRight);
    }
    await printResult(
      io,
      options,
      { trace_uid: uid, expected: name, success: isRight },
      `${uid}: expected ${name}, the answer was ${isRight ? 'right' : 'wrong'}\n`,
    );
  } finally {
    stores.close();
  }
}

/** What an answer named: the class on its last line, or the field of its JSON object. */
function answerOf(output: string): string {
  const named = /^[ \t]*cause[ \t]*:[ \t]*([A-Za-z_]+)[ \t.]*$/i.exec(
    output.trimEnd().split('\n').at(-1) ?? '',
  );
  if (named !== null) return (named[1] ?? '').toLowerCase();
  const reply = jsonObjectIn(output);
  const cause = isObject(reply?.['root_cause']) ? reply['root_cause'] : reply;
  return String(cause?.['error_type'] ?? reply?.['action_id'] ?? '');
}
