import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { isInForce, type Silence } from '../decision/ladder/silences.js';
import { outgoingLine } from '../foreign/hygiene.js';
import { utc, wrap } from './findings/format.js';
import type { CommandIo, RunCommand } from './shared/command.js';
import { createProgram, runProgram, silenced } from './shared/program.js';
import { existingSessionDir } from './shared/session-option.js';
import { writeAll } from './shared/streams.js';
import { UserError } from './shared/user-error.js';
import { durationText, parseDuration } from './silence/duration.js';
import { readSilences, withoutSilences, withSilence, writeSilences } from './silence/edit.js';
import { parseSubject } from './silence/matcher.js';

interface SilenceOptions {
  readonly sessionDir?: string;
  readonly subject?: readonly string[];
  readonly for?: string;
  readonly comment?: string;
  readonly all?: boolean;
  readonly json?: boolean;
}

const EXAMPLES = `
A silenced symptom sends nothing, neither alert nor recover or prune; it is
still watched, counted and listed in the presence file.

Examples:
  robustness-agent silence add disk_pressure --subject mountpoint=/data \\
    --for 4h --comment "moving checkpoints"
  robustness-agent silence list
  robustness-agent silence remove 3f9a01
`;

const MAX_COMMENT = 500;

/** `silence add|list|remove`: keeps a symptom quiet for a while (spec 05 A.12.1). */
export const run: RunCommand = (argv, io) => {
  const program = createProgram('silence', 'Keeps symptoms quiet for a while.', io).addHelpText(
    'after',
    EXAMPLES,
  );
  const add = (usage: string, summary: string): Command =>
    silenced(program.command(usage), io)
      .description(summary)
      .option('--session-dir <dir>', 'session directory (else SESSION_DIR)')
      .option('--json', 'as JSON');
  add('add <symptom>', 'Silences a symptom.')
    .option('--subject <pair>', 'only where the subject has KEY=VALUE; repeatable', collect, [])
    .option('--for <duration>', 'how long: 30m, 2h, 1d12h', '2h')
    .option('--comment <text>', 'why, for whoever reads it later', '')
    .action((symptom: string, options: SilenceOptions) => addSilence(symptom, options, io));
  add('list', 'Lists the silences in force.')
    .option('--all', 'also those that ended lately')
    .action((options: SilenceOptions) => list(options, io));
  add('remove <id...>', 'Ends silences.').action((ids: string[], options: SilenceOptions) =>
    remove(ids, options, io),
  );
  return runProgram(program, argv, io);
};

function collect(value: string, before: readonly string[]): string[] {
  return [...before, value];
}

async function addSilence(symptom: string, options: SilenceOptions, io: CommandIo): Promise<void> {
  const sessionDir = existingSessionDir(options.sessionDir, io);
  const subject = parseSubject(options.subject ?? [], symptom);
  const now = Math.floor(Date.now() / 1000);
  const comment = options.comment ?? '';
  if (comment.length > MAX_COMMENT) {
    throw new UserError({
      code: 'RA_USAGE',
      happened: `the comment has ${comment.length} characters`,
      expected: `at most ${MAX_COMMENT}`,
    });
  }
  const silence: Silence = {
    id: randomBytes(3).toString('hex'),
    symptom,
    subject,
    created_unix: now,
    expires_unix: now + parseDuration(options.for ?? '2h'),
    comment,
  };
  writeSilences(sessionDir, withSilence(readSilences(sessionDir), silence, now), now);
  await writeAll(
    io.stdout,
    options.json === true ? `${json(silence, now)}\n` : `${describe(silence, now)}\n`,
  );
}

async function list(options: SilenceOptions, io: CommandIo): Promise<void> {
  const now = Date.now() / 1000;
  const all = readSilences(existingSessionDir(options.sessionDir, io));
  const shown = all.filter((silence) => options.all === true || isInForce(silence, now));
  for (const silence of shown) {
    await writeAll(io.stdout, `${options.json === true ? json(silence, now) : describe(silence, now)}\n`);
  }
  if (shown.length === 0 && options.json !== true) await writeAll(io.stderr, 'nothing is silenced\n');
}

async function remove(ids: readonly string[], options: SilenceOptions, io: CommandIo): Promise<void> {
  const sessionDir = existingSessionDir(options.sessionDir, io);
  const now = Date.now() / 1000;
  const { kept, removed } = withoutSilences(readSilences(sessionDir), ids);
  writeSilences(sessionDir, kept, now);
  for (const silence of removed) {
    const text =
      options.json === true ? json(silence, now) : `removed ${silence.id}: ${matcherText(silence)}`;
    await writeAll(io.stdout, `${text}\n`);
  }
}

function json(silence: Silence, nowUnix: number): string {
  return JSON.stringify({ ...silence, in_force: isInForce(silence, nowUnix) });
}

function describe(silence: Silence, nowUnix: number): string {
  const left = silence.expires_unix - nowUnix;
  const end =
    left > 0
      ? `for ${durationText(left)}, until ${utc(silence.expires_unix)}`
      : `ended ${utc(silence.expires_unix)}`;
  const comment = silence.comment === '' ? [] : wrap(outgoingLine(silence.comment), 2);
  return [`${silence.id} ${matcherText(silence)}`, `  ${end}`, ...comment].join('\n');
}

function matcherText({ symptom, subject }: Silence): string {
  const pairs = Object.entries(subject).map(([key, value]) => outgoingLine(`${key}=${value}`));
  return [symptom, ...pairs].join(' ');
}
