import { homedir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { pickFields } from '../foreign/config-field.js';
import { replaceFile } from '../foreign/write-file.js';
import { reactorFields } from '../reactor/config/own-fields.js';
import { finalizeSession } from '../reactor/postmortem/finalize.js';
import type { CommandIo, RunCommand } from './shared/command.js';
import { EXIT_FAILURE, EXIT_OK } from './shared/exit-codes.js';
import { loadStrictConfig } from './shared/load-config.js';
import { createProgram, runProgram, setExitCode } from './shared/program.js';
import { existingSessionDir } from './shared/session-option.js';
import { writeAll } from './shared/streams.js';
import { UserError } from './shared/user-error.js';

interface FinalizeOptions {
  readonly sessionDir: string;
  readonly sessionId: string;
  readonly stopReason: string;
  readonly out: string;
  readonly config?: string;
}

const DEFAULT_REASON = 'manual_finalize';

const HELP = `
Runs again when the stop reason is another one or findings came in later; the
earlier report is kept as .1. The launcher of a session should call this after
the Coordinator has ended: most stop reasons are set after its last turn.

Exit code 0: written, or already there. 2: nothing could be written.

Examples:
  robustness-agent finalize --session-dir DIR --stop-reason target_reached
`;

/** `finalize`: the postmortem of a stopped session (spec 01 §1.9, §8). */
export const run: RunCommand = (argv, io) => {
  const program = createProgram('finalize', 'Writes the postmortem of a stopped session.', io)
    .requiredOption('--session-dir <dir>', 'session directory')
    .option('--session-id <id>', "id of the session (else the directory's name)", '')
    .option('--stop-reason <text>', 'why the session ended', DEFAULT_REASON)
    .option('--out <file>', 'where the result goes besides standard output', '-')
    .option('--config <file>', 'configuration file')
    .addHelpText('after', HELP);
  program.action(async (options: FinalizeOptions) => setExitCode(program, await finalize(options, io)));
  return runProgram(program, argv, io);
};

async function finalize(options: FinalizeOptions, io: CommandIo): Promise<number> {
  const sessionDir = existingSessionDir(withHome(options.sessionDir), io);
  const sessionId = (options.sessionId || basename(sessionDir) || 'default').trim();
  const stopReason = options.stopReason === '' ? DEFAULT_REASON : options.stopReason.trim();
  const { config } = loadStrictConfig({ configFlag: options.config, env: io.env, cwd: io.cwd, sessionDir });
  const settings = pickFields(reactorFields, config);
  const result = await finalizeSession({
    sessionDir,
    sessionId,
    stopReason,
    nowUnix: Date.now() / 1000,
    reportsSubdir: settings.finalize_reports_subdir,
    maxFindings: settings.finalize_max_findings_in_report,
    maxTasksPerAction: settings.finalize_max_tasks_per_action,
  });
  const output = {
    session_dir: sessionDir,
    session_id: sessionId,
    stop_reason: stopReason,
    wrote_new_files: result.wroteNewFiles,
    reports_dir: join(sessionDir, settings.finalize_reports_subdir),
    already_finalized: result.alreadyFinalized,
    errors: [...result.errors],
  };
  for (const note of result.notes) await writeAll(io.stderr, `${note}\n`);
  const text = `${JSON.stringify(output, null, 2)}\n`;
  await writeResult(options.out, text, io);
  if (result.wroteNewFiles || result.alreadyFinalized) return EXIT_OK;
  await writeAll(io.stderr, `RA_FINALIZE_WRITE: nothing could be written: ${result.errors.join('; ')}\n`);
  return EXIT_FAILURE;
}

async function writeResult(out: string, text: string, io: CommandIo): Promise<void> {
  const failure =
    out === '-' ? undefined : replaceFile(resolve(io.cwd, out), text, { createDirectory: false });
  await writeAll(io.stdout, text);
  if (failure === undefined) return;
  throw new UserError({
    code: 'RA_EMIT_WRITE',
    happened: `the result could not be written to ${out}: ${failure.message}`,
    expected: 'a writable file in an existing directory',
  });
}

function withHome(path: string): string {
  return path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path;
}
