import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { redactorFor } from '../foreign/redact.js';
import { describeFailure } from '../foreign/write-file.js';
import { type ConfigProblem, describeProblem } from '../reactor/config/layers.js';
import { decideTick } from '../reactor/decide-tick.js';
import { answerWarnings } from '../reactor/perform-tick.js';
import { requestContext } from '../reactor/request/request-context.js';
import type { Slots } from '../reactor/store/slots.js';
import { parseRecording, type Recording } from './replay/parse-recording.js';
import type { CommandIo, RunCommand } from './shared/command.js';
import { EXIT_FAILURE, EXIT_OK } from './shared/exit-codes.js';
import { loadConfig } from './shared/load-config.js';
import { createProgram, runProgram, setExitCode } from './shared/program.js';
import { requestSessionDir } from './shared/session-dir.js';
import { writeAll } from './shared/streams.js';
import { UserError } from './shared/user-error.js';

const HELP = `
Reads one recorded tick per line, as \`tick --record\` writes them, and decides
each as the tick would have, under the given configuration. Nothing is probed,
read from or written to the session. Prints one JSON object per line.

Examples:
  robustness-agent replay session.jsonl
  robustness-agent replay session.jsonl --config tighter.json
`;

/** `replay FILE.jsonl`: recorded ticks decided again, for whoever tunes rules. */
export const run: RunCommand = (argv, io) => {
  const program = createProgram('replay', 'Decides recorded ticks again.', io)
    .argument('<file>', 'recording, one tick per line')
    .option('--config <file>', 'settings to try')
    .addHelpText('after', HELP);
  program.action(async (file: string, options: { config?: string }) => {
    setExitCode(program, await replay(resolve(io.cwd, file), options.config, io));
  });
  return runProgram(program, argv, io);
};

interface Session {
  readonly slots: Slots;
  readonly ticks: number;
}

async function replay(path: string, configFlag: string | undefined, io: CommandIo): Promise<number> {
  const sessions = new Map<string, Session>();
  const reported = new Set<string>();
  let number = 0;
  let refused = 0;
  for await (const line of linesOf(path)) {
    number += 1;
    if (line.trim() === '') continue;
    const reading = parseRecording(line);
    if (!reading.ok) {
      refused += 1;
      await writeAll(io.stderr, `RA_RECORDING: ${path}:${number}: ${reading.reason}\n`);
      continue;
    }
    const answer = decideLine(reading.recording, configFlag, sessions, io);
    for (const problem of answer.fileProblems) {
      const text = describeProblem(problem);
      if (!reported.has(text)) await writeAll(io.stderr, `warning: ${text}\n`);
      reported.add(text);
    }
    await writeAll(io.stdout, `${JSON.stringify(answer.output)}\n`);
  }
  return refused === 0 ? EXIT_OK : EXIT_FAILURE;
}

function decideLine(
  { request, snapshot, slots: recordedSlots }: Recording,
  configFlag: string | undefined,
  sessions: Map<string, Session>,
  io: CommandIo,
) {
  const sessionDir = requestSessionDir(request.options['session_dir'], {}, io.cwd);
  const { config, problems } = loadConfig({
    configFlag,
    env: io.env,
    cwd: io.cwd,
    sessionDir: null,
    options: request.options,
    anyRange: true,
  });
  const ofRequest = problems.filter(({ origin }) => origin === 'options');
  const before = sessions.get(request.sessionId) ?? { slots: recordedSlots, ticks: 0 };
  const { context, warnings } = requestContext(request, sessionDir, Date.now() / 1000);
  const decided = decideTick({
    context,
    snapshot,
    slots: before.slots,
    config,
    silences: [],
    redact: redactorFor(io.env),
  });
  const ticks = before.ticks + 1;
  sessions.set(request.sessionId, { slots: decided.slots, ticks });
  return {
    fileProblems: problems.filter(({ origin }) => origin !== 'options') satisfies ConfigProblem[],
    output: {
      session_id: request.sessionId,
      tick_index: ticks,
      intent_envelope: { intents: decided.decision.intents },
      findings: decided.decision.findings,
      parse_warnings: answerWarnings(warnings, [...ofRequest.map(describeProblem), ...decided.warnings]),
    },
  };
}

async function* linesOf(path: string): AsyncGenerator<string> {
  try {
    for await (const line of createInterface({
      input: createReadStream(path),
      crlfDelay: Number.POSITIVE_INFINITY,
    })) {
      yield line;
    }
  } catch (error) {
    throw new UserError({
      code: 'RA_RECORDING',
      happened: `${path} cannot be read: ${describeFailure(error).message}`,
      expected: 'a recording, one tick per line',
      todo: 'record one with `tick --record FILE`',
    });
  }
}
