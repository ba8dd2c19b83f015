import { type BridgeProbe, bridgeDirectory, isSafePath, probeBridge } from './shared/bridge.js';
import type { CommandIo, RunCommand } from './shared/command.js';
import { EXIT_FOUND, EXIT_OK } from './shared/exit-codes.js';
import { createProgram, runProgram, setExitCode } from './shared/program.js';
import { writeAll } from './shared/streams.js';
import { UserError } from './shared/user-error.js';

interface BridgeOptions {
  readonly check?: boolean;
  readonly python?: string;
  readonly json?: boolean;
}

const HELP = `
The Coordinator needs no patch: with the line that is printed on standard error
in its environment, it runs this agent instead of its own. Standard output is
the directory alone. --check asks through the bridge, as the Coordinator does
before its first turn. Exit code 0: it works, or was not asked. 1: it does not.

Examples:
  robustness-agent bridge --check
  export ROBUSTNESS_AGENT_ROOT="$(robustness-agent bridge)"
`;

/** `bridge`: how an unmodified Coordinator runs this agent (spec 01 §1.10). */
export const run: RunCommand = (argv, io) => {
  const program = createProgram('bridge', 'Shows how the Coordinator runs this agent.', io)
    .option('--check', 'run it once, as the Coordinator would')
    .option('--python <program>', "the Coordinator's Python", 'python3')
    .option('--json', 'one JSON object')
    .addHelpText('after', HELP);
  program.action(async (options: BridgeOptions) => setExitCode(program, await bridge(options, io)));
  return runProgram(program, argv, io);
};

async function bridge(options: BridgeOptions, io: CommandIo): Promise<number> {
  const directory = bridgeDirectory();
  if (directory === undefined) {
    throw new UserError({
      code: 'RA_BRIDGE_MISSING',
      happened: 'this installation has no bridge directory',
      todo: 'install robustness-agent again',
    });
  }
  const exports = exportLines(directory, isSafePath(io.env));
  const probe =
    options.check === true
      ? await probeBridge(directory, withExports(directory, io.env), options.python)
      : undefined;
  if (options.json === true) {
    await writeAll(io.stdout, `${JSON.stringify({ directory, export: exports, check: probe ?? null })}\n`);
  } else {
    await writeAll(io.stdout, `${directory}\n`);
    // Beside the output, so that `$(robustness-agent bridge)` is the directory.
    await writeAll(io.stderr, [...exports, ...(probe === undefined ? [] : [verdict(probe)]), ''].join('\n'));
  }
  return probe === undefined || probe.kind === 'works' ? EXIT_OK : EXIT_FOUND;
}

/** Under PYTHONSAFEPATH, Python skips the working directory but not the path it is given. */
function exportLines(directory: string, safePath: boolean): string[] {
  const root = `export ROBUSTNESS_AGENT_ROOT=${quoted(directory)}`;
  return safePath ? [root, `export PYTHONPATH=${quoted(directory)}"\${PYTHONPATH:+:$PYTHONPATH}"`] : [root];
}

/** The environment after the printed lines. */
function withExports(directory: string, env: CommandIo['env']): CommandIo['env'] {
  if (!isSafePath(env)) return env;
  const before = env['PYTHONPATH'];
  return { ...env, PYTHONPATH: before ? `${directory}:${before}` : directory };
}

function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function verdict(probe: BridgeProbe): string {
  if (probe.kind === 'works') return `works with ${probe.python}`;
  if (probe.kind === 'no_python')
    return `not checked: there is no ${probe.wanted}; pass the Coordinator's Python as --python`;
  return `does not work with ${probe.python}: ${probe.reason}`;
}
