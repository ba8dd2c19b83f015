import { basename } from 'node:path';
import { rcaFields } from '../decision/rca/config.js';
import { chooseEngine } from '../decision/rca/engine-choice.js';
import { pickFields } from '../foreign/config-field.js';
import { describeProblem } from '../reactor/config/layers.js';
import { collectSnapshot } from '../sources/collect.js';
import { sourcesFields } from '../sources/config.js';
import { bridgeCheck } from './doctor/bridge-check.js';
import { type Check, fail, info, ok, warn } from './doctor/check.js';
import {
  driverCheck,
  hostCheck,
  nodeCheck,
  pythonCheck,
  toolChecks,
  writableCheck,
} from './doctor/environment-checks.js';
import {
  clockCheck,
  collectorChecks,
  coordinatorCheck,
  databaseCheck,
  degradedCheck,
  stateCheck,
} from './doctor/session-checks.js';
import { wrap } from './findings/format.js';
import type { CommandIo, RunCommand } from './shared/command.js';
import { EXIT_FOUND, EXIT_OK } from './shared/exit-codes.js';
import { loadConfig } from './shared/load-config.js';
import { createProgram, runProgram, setExitCode } from './shared/program.js';
import { existingSessionDir } from './shared/session-option.js';
import { writeAll } from './shared/streams.js';

interface DoctorOptions {
  readonly sessionDir?: string;
  readonly config?: string;
  readonly json?: boolean;
}

const HELP = `
Exit code 0: nothing stands in the way. 1: something does, marked "fail".
2: the question could not be put.

Examples:
  robustness-agent doctor --session-dir DIR
  robustness-agent doctor --session-dir DIR --json
`;

/** `doctor`: can the agent see and write what it needs, and what to do if not. */
export const run: RunCommand = (argv, io) => {
  const program = createProgram('doctor', 'Checks what the agent can see and write.', io)
    .option('--session-dir <dir>', 'session directory (else SESSION_DIR)')
    .option('--config <file>', 'configuration file')
    .option('--json', 'one JSON array')
    .addHelpText('after', HELP);
  program.action(async (options: DoctorOptions) => setExitCode(program, await doctor(options, io)));
  return runProgram(program, argv, io);
};

async function doctor(options: DoctorOptions, io: CommandIo): Promise<number> {
  const sessionDir = existingSessionDir(options.sessionDir, io);
  const loaded = loadConfig({ configFlag: options.config, env: io.env, cwd: io.cwd, sessionDir });
  const nowUnix = Date.now() / 1000;
  const { snapshot } = await collectSnapshot({
    sessionDir,
    config: pickFields(sourcesFields, loaded.config),
    env: io.env,
    nowUnix,
    promptDriven: false,
    memory: {},
    deadline: { signal: new AbortController().signal, remainingMs: () => Number.MAX_SAFE_INTEGER },
  });
  const engine = chooseEngine(pickFields(rcaFields, loaded.config), io.env);
  const checks: Check[] = [
    nodeCheck(process.version),
    await hostCheck(),
    driverCheck(),
    ok('session', `${sessionDir} (id ${basename(sessionDir)})`),
    writableCheck(sessionDir),
    ...configChecks(loaded),
    databaseCheck(snapshot),
    stateCheck(snapshot),
    coordinatorCheck(snapshot),
    clockCheck(snapshot, nowUnix),
    info('root cause', engine.line),
    await bridgeCheck(io.env),
    ...pythonCheck(io.env),
    ...toolChecks(io.env['PATH']),
    ...degradedCheck(snapshot),
    ...collectorChecks(snapshot),
  ];
  const text = options.json === true ? `${JSON.stringify(checks)}\n` : checks.map(lines).join('');
  await writeAll(io.stdout, text);
  return checks.some(({ status }) => status === 'fail') ? EXIT_FOUND : EXIT_OK;
}

function configChecks({ file, problems }: ReturnType<typeof loadConfig>): Check[] {
  if (problems.length === 0) return [ok('settings', file === null ? 'defaults and environment' : file)];
  const advice = 'docs/configuration.md lists every setting';
  return problems.map((problem) =>
    // Out of range, but in force with its limit.
    (problem.problem === 'clamped' ? warn : fail)('settings', describeProblem(problem), advice),
  );
}

const NAME_WIDTH = 19;

function lines({ name, status, found, todo }: Check): string {
  const body = wrap(found, NAME_WIDTH + 6).map((line) => line.trimStart());
  const [first = '', ...rest] = body;
  const indent = ' '.repeat(NAME_WIDTH + 6);
  const advice = todo === undefined ? [] : wrap(`-> ${todo}`, NAME_WIDTH + 6);
  return [
    `${status.padEnd(5)} ${name.padEnd(NAME_WIDTH)}${first}`,
    ...rest.map((line) => `${indent}${line}`),
    ...advice,
    '',
  ].join('\n');
}
