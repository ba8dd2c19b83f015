import type { Command } from 'commander';
import { statOf } from '../foreign/stat.js';
import type { Finding } from '../reactor/findings/finding.js';
import { findingId } from '../reactor/findings/finding-id.js';
import { parseFinding } from '../reactor/findings/parse-finding.js';
import { findingsFiles, readFindings } from '../reactor/findings/read-findings.js';
import { findingsPath } from '../reactor/store/paths.js';
import { type FindingFilter, parseMoment, parseSeverity, passes } from './findings/filter.js';
import { followLines } from './findings/follow.js';
import { detail, listing } from './findings/format.js';
import type { CommandIo, RunCommand } from './shared/command.js';
import { EXIT_FOUND } from './shared/exit-codes.js';
import { createProgram, runProgram, setExitCode, silenced } from './shared/program.js';
import { existingSessionDir, findingsId } from './shared/session-option.js';
import { writeAll } from './shared/streams.js';
import { UserError } from './shared/user-error.js';

interface FindingsOptions {
  readonly sessionDir?: string;
  readonly sessionId?: string;
  readonly severity?: string;
  readonly symptom?: string[];
  readonly since?: string;
  readonly until?: string;
  readonly last?: string;
  readonly follow?: boolean;
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  robustness-agent findings list --session-dir DIR --severity high --since 2h
  robustness-agent findings tail -f --session-dir DIR
  robustness-agent findings show 3f9a01bc --session-dir DIR --json
`;

/** `findings list|tail|show`: what was found in a session, for people and, with `--json`, for programs. */
export const run: RunCommand = (argv, io) => {
  const program = createProgram('findings', 'Shows what was found in a session.', io).addHelpText(
    'after',
    EXAMPLES,
  );
  const add = (usage: string, summary: string): Command => {
    const command = silenced(program.command(usage), io).description(summary);
    return command
      .option('--session-dir <dir>', 'session directory (else SESSION_DIR)')
      .option('--session-id <id>', "whose findings (else the directory's name)")
      .option('--json', 'one JSON object per line, as stored');
  };
  const filtered = (command: Command): Command =>
    command
      .option('--severity <level>', 'this or higher: low, medium, high', 'low')
      .option('--symptom <name...>', 'only these symptoms')
      .option('--since <moment>', '30m, 2h, 3d ago, an ISO time, or unix seconds')
      .option('--until <moment>', 'as --since');

  filtered(add('list', 'Lists findings, oldest first.')).action((options: FindingsOptions) =>
    list(options, io),
  );
  filtered(add('tail', 'Shows the last findings.'))
    .option('-n, --last <count>', 'how many', '10')
    .option('-f, --follow', 'go on showing new ones until interrupted')
    .action((options: FindingsOptions) => tail(options, io));
  add('show <id>', 'Shows one finding with all its evidence.').action(
    async (id: string, options: FindingsOptions) => {
      if (!(await show(id, options, io))) setExitCode(program, EXIT_FOUND);
    },
  );
  return runProgram(program, argv, io);
};

interface Target {
  readonly sessionDir: string;
  readonly id: string;
  readonly files: readonly string[];
}

function targetOf(options: FindingsOptions, io: CommandIo): Target {
  const sessionDir = existingSessionDir(options.sessionDir, io);
  const id = findingsId(sessionDir, options.sessionId);
  return { sessionDir, id, files: findingsFiles(sessionDir, id) };
}

function filterOf(options: FindingsOptions): FindingFilter {
  const now = Date.now() / 1000;
  return {
    atLeast: parseSeverity(options.severity ?? 'low'),
    symptoms: options.symptom ?? [],
    since: options.since === undefined ? Number.NEGATIVE_INFINITY : parseMoment(options.since, now),
    until: options.until === undefined ? Number.POSITIVE_INFINITY : parseMoment(options.until, now),
  };
}

async function list(options: FindingsOptions, io: CommandIo): Promise<void> {
  const filter = filterOf(options);
  let shown = 0;
  let unreadable = 0;
  for await (const line of readFindings(targetOf(options, io).files)) {
    if (!line.ok) unreadable += 1;
    else if (passes(filter, line.finding)) {
      shown += 1;
      await print(line.finding, options, io);
    }
  }
  await remark({ shown, unreadable }, options, io);
}

async function tail(options: FindingsOptions, io: CommandIo): Promise<void> {
  const count = Number(options.last);
  if (!Number.isInteger(count) || count < 0) {
    throw new UserError({
      code: 'RA_USAGE',
      happened: `--last ${options.last}`,
      expected: 'a count such as 10',
    });
  }
  const target = targetOf(options, io);
  const filter = filterOf(options);
  const path = findingsPath(target.sessionDir, target.id);
  const end = statOf(path)?.size ?? 0;
  const last: Finding[] = [];
  let unreadable = 0;
  const bounds = target.files.includes(path) ? { lastFileBytes: end } : {};
  for await (const line of readFindings(target.files, bounds)) {
    if (!line.ok) unreadable += 1;
    else if (passes(filter, line.finding)) {
      last.push(line.finding);
      if (last.length > count) last.shift();
    }
  }
  for (const finding of last) await print(finding, options, io);
  await remark({ shown: last.length, unreadable }, options, io);
  if (options.follow !== true) return;

  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  try {
    for await (const line of followLines(path, end, stop.signal)) {
      const reading = parseFinding(line);
      if (reading.ok && passes(filter, reading.finding)) await print(reading.finding, options, io);
    }
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

async function show(id: string, options: FindingsOptions, io: CommandIo): Promise<boolean> {
  for await (const line of readFindings(targetOf(options, io).files)) {
    if (!line.ok || findingId(line.finding) !== id) continue;
    const text = options.json === true ? JSON.stringify(line.finding) : detail(line.finding, usesColour(io));
    await writeAll(io.stdout, `${text}\n`);
    return true;
  }
  await writeAll(io.stderr, `RA_FINDING_UNKNOWN: no finding ${id}; \`findings list\` shows the ids\n`);
  return false;
}

async function print(finding: Finding, options: FindingsOptions, io: CommandIo): Promise<void> {
  const text = options.json === true ? JSON.stringify(finding) : listing(finding, usesColour(io));
  await writeAll(io.stdout, `${text}\n`);
}

async function remark(
  { shown, unreadable }: { shown: number; unreadable: number },
  options: FindingsOptions,
  io: CommandIo,
): Promise<void> {
  if (options.json === true) return;
  if (shown === 0) await writeAll(io.stderr, 'no findings match\n');
  if (unreadable > 0) await writeAll(io.stderr, `${unreadable} unreadable lines were skipped\n`);
}

function usesColour(io: CommandIo): boolean {
  return io.stdout.isTTY === true && (io.env['NO_COLOR'] ?? '') === '';
}
