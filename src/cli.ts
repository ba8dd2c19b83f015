#!/usr/bin/env node
import { processIo, type RunCommand } from './runtime/shared/command.js';
import { VERSION } from './runtime/shared/version.js';

interface CommandEntry {
  readonly summary: string;
  readonly load: () => Promise<{ readonly run: RunCommand }>;
}

/** Every command; its module is loaded only when it is called. */
const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  tick: { summary: 'answer one turn of the Coordinator', load: () => import('./runtime/tick.js') },
  finalize: { summary: 'write the postmortem of a session', load: () => import('./runtime/finalize.js') },
  run: { summary: 'watch a session (the default)', load: () => import('./runtime/run.js') },
  findings: { summary: 'list, follow or show findings', load: () => import('./runtime/findings.js') },
  explain: { summary: 'why a finding came, and when the next', load: () => import('./runtime/explain.js') },
  silence: { summary: 'say nothing of a symptom for a while', load: () => import('./runtime/silence.js') },
  rules: { summary: 'what is reported, when, and what to do', load: () => import('./runtime/rules.js') },
  doctor: { summary: 'check what can be seen and written', load: () => import('./runtime/doctor.js') },
  bridge: { summary: 'how the Coordinator runs this agent', load: () => import('./runtime/bridge.js') },
  investigate: {
    summary: 'why it happened, with cited evidence',
    load: () => import('./runtime/investigate.js'),
  },
  serve: { summary: 'answer on a socket, or as a page', load: () => import('./runtime/serve.js') },
  rx: { summary: 'what is worth fixing, and did it help', load: () => import('./runtime/rx.js') },
  selfedit: { summary: 'let our own prompts get better', load: () => import('./runtime/selfedit.js') },
  demo: { summary: 'the agent at work on a made-up session', load: () => import('./runtime/demo.js') },
  replay: { summary: 'decide recorded ticks again', load: () => import('./runtime/replay.js') },
};

function usage(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  const rows = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return [
    'usage: robustness-agent [COMMAND] [OPTIONS]',
    '',
    'Guards a long inference-optimisation session.',
    '',
    ...rows,
    '',
    'Options of a command: robustness-agent COMMAND --help',
    '',
  ].join('\n');
}

async function main(argv: readonly string[]): Promise<number> {
  const [name = '', ...rest] = argv;
  if (name === '--help' || name === '-h') {
    process.stdout.write(usage());
    return 0;
  }
  if (name === '--version') {
    process.stdout.write(`${VERSION}\n`);
    return 0;
  }
  // Without a command it is the standalone loop, which asks for a session directory itself (spec 01 §1.11).
  const isLoop = name === '' || name.startsWith('-');
  const entry = Object.hasOwn(COMMANDS, isLoop ? 'run' : name) ? COMMANDS[isLoop ? 'run' : name] : undefined;
  if (entry === undefined) {
    process.stderr.write(`RA_USAGE: there is no command ${name}; expected one of those below\n${usage()}`);
    return 2;
  }
  if (isLoop && name === '' && !hasSessionVariable(process.env)) {
    process.stderr.write(`RA_USAGE: no session directory is named; pass --session-dir DIR\n${usage()}`);
    return 2;
  }
  const { run } = await entry.load();
  return run(isLoop ? argv : rest, processIo());
}

function hasSessionVariable(env: NodeJS.ProcessEnv): boolean {
  return [env['ROBUSTNESS_SESSION_DIR'], env['SESSION_DIR']].some(
    (value) => value !== undefined && value !== '',
  );
}

/** Ends the process once both streams have been taken: nothing that still hangs may keep it alive. */
function end(code: number): void {
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
}

// A reader that has seen enough (`| head`) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 2);
});

main(process.argv.slice(2)).then(end, (error: unknown) => {
  const { message, stack } = error instanceof Error ? error : { message: String(error), stack: '' };
  process.stderr.write(
    `RA_INTERNAL: ${message.replace(/\s+/g, ' ')}; this is a bug, please report it\n${stack ?? ''}\n`,
  );
  end(2);
});
