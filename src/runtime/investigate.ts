import { accessSync, constants } from 'node:fs';
import { resolve } from 'node:path';
import { isObject, type JsonObject, objectOr, parseJson } from '../foreign/json.js';
import { parseRepo } from '../investigate/evidence/names.js';
import type { Question } from '../investigate/question.js';
import { listPast, readResult } from '../investigate/store/artefacts.js';
import { investigationsDirectory } from '../investigate/store/paths.js';
import type { Finding } from '../reactor/findings/finding.js';
import { findingId } from '../reactor/findings/finding-id.js';
import { findingsFiles, readFindings } from '../reactor/findings/read-findings.js';
import { symptomKey } from '../signals/symptom.js';
import { beginInvestigation, defaultOut } from './investigate/begin.js';
import { investigatePrompt } from './investigate/prompt.js';
import { type InvestigateSettings, investigateSettings } from './investigate/settings.js';
import { parseStored, showPast, showResult } from './investigate/show.js';
import { openRecording, openReplay } from './investigate/tape.js';
import { watchQueue } from './investigate/watch.js';
import type { CommandIo, RunCommand } from './shared/command.js';
import { EXIT_FOUND, EXIT_OK } from './shared/exit-codes.js';
import { createProgram, runProgram, setExitCode } from './shared/program.js';
import { existingSessionDir, findingsId } from './shared/session-option.js';
import { writeAll } from './shared/streams.js';
import { UserError } from './shared/user-error.js';

interface Options {
  readonly sessionDir?: string;
  readonly sessionId?: string;
  readonly symptom?: string;
  readonly subject?: string;
  readonly finding?: string;
  readonly issue?: string;
  readonly service?: string;
  readonly window: string;
  readonly traceId?: string;
  readonly repo?: string;
  readonly llm: boolean;
  readonly profile?: string;
  readonly out?: string;
  readonly watch?: boolean;
  readonly once?: boolean;
  readonly json?: boolean;
  readonly config?: string;
  readonly record?: string;
  readonly replay?: string;
}

const HELP = `
WHAT is the id of a finding (as \`findings list\` shows it) or a description in
words. Without WHAT the past investigations are listed; \`show ID\` prints one.
Nothing is ever changed: every look is read-only, and a fix is only proposed.

Exit codes: 0 a result was written, whatever its band; 1 nothing of that name;
2 usage or configuration; 130 interrupted.

Examples:
  robustness-agent investigate 3f9a01bc --session-dir DIR
  robustness-agent investigate "server died after a patch" --session-dir DIR
  robustness-agent investigate --watch --session-dir DIR
  robustness-agent investigate show inv-1780066530-0a1b2c3d --session-dir DIR
`;
const EXIT_INTERRUPTED = 130;
const MAX_TEXT = 8000;

/** `investigate`: why something failed, with cited evidence (spec 07 B14). */
export const run: RunCommand = (argv, io) => {
  const program = createProgram('investigate', 'Finds out why something failed.', io)
    .argument('[what...]', 'a finding id, a description, or: show ID')
    .option('--session-dir <dir>', 'session directory (else SESSION_DIR)')
    .option('--session-id <id>', "whose findings (else the directory's name)")
    .option('--symptom <name>', 'investigate a symptom without a finding')
    .option('--subject <json>', 'its subject')
    .option('--finding <n>', 'the finding on this line of the findings file')
    .option('--issue <text>', 'a description in words')
    .option('--service <name>', 'service that the description is about')
    .option('--window <minutes>', 'how far back traces and logs go', '10')
    .option('--trace-id <id>', 'a failing trace that is known')
    .option('--repo <owner/name>', 'GitHub repository of the code')
    .option('--no-llm', 'without a model, even where one is configured')
    .option('--profile <name>', 'strict, or reference for comparison only')
    .option('--out <dir>', 'where the files go (else into the session directory)')
    .option('--watch', 'work off the queue of the session, until interrupted')
    .option('--once', 'with --watch: end when the queue is empty')
    .option('--config <file>', 'configuration file')
    .option('--record <file>', 'write every answer to a file, secrets masked')
    .option('--replay <file>', 'the recorded investigation again; nothing is asked')
    .option('--json', 'the stored result, or one object per line')
    .addHelpText('after', HELP);
  program.action(async (what: string[], options: Options) => {
    setExitCode(program, await dispatch(what, options, io));
  });
  return runProgram(program, argv, io);
};

async function dispatch(what: readonly string[], options: Options, io: CommandIo): Promise<number> {
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    if (options.watch === true) return await watch(options, io, stop.signal);
    const [first, second] = what;
    if (first === 'show' && second !== undefined && what.length === 2) return await show(second, options, io);
    const words = what.join(' ').trim();
    const isAsked = [words, options.symptom, options.finding, options.issue, options.replay].some(
      (given) => given !== undefined && given !== '',
    );
    return isAsked ? await ask(words, options, io, stop.signal) : await list(options, io);
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

async function ask(words: string, options: Options, io: CommandIo, signal: AbortSignal): Promise<number> {
  const { sessionDir, warnings } = sessionToAsk(options, io);
  const sessionId = sessionDir === null ? null : findingsId(sessionDir, options.sessionId);
  const settings = settingsOf(options, sessionDir, io);
  const replay =
    options.replay === undefined
      ? null
      : openReplay(resolve(io.cwd, options.replay), { env: io.env, masked: settings.masked });
  const question = replay?.question ?? (await questionFrom(words, options, sessionDir, sessionId));
  const prompt = options.llm && replay === null ? investigatePrompt(settings, sessionId, io.env) : null;
  const recording =
    options.record === undefined || replay !== null
      ? null
      : openRecording({
          path: resolve(io.cwd, options.record),
          question,
          sessionId,
          repo: repoOf(options),
          useModel: options.llm,
          ...(typeof prompt?.promoted === 'string' && { duties: prompt.promoted }),
          config: settings.config,
          masked: settings.masked,
          env: io.env,
        });
  const tape = replay?.tape ?? recording;
  const began = Date.now();
  const result = await beginInvestigation({
    sessionDir,
    sessionId,
    root: rootOf(options, sessionDir, io),
    question,
    settings,
    env: io.env,
    repo: repoOf(options),
    useModel: options.llm,
    signal,
    warnings,
    ...(tape === null ? {} : { tape }),
    ...(replay === null ? {} : { replayed: replay.facts }),
    prompt,
    onTraceLost: (reason) => io.stderr.write(`warning: a trace is lost, ${reason}\n`),
    onReceipt: ({ receipt_id: id, tool, status }) => {
      if (Date.now() - began > 1000) io.stderr.write(`${id} ${tool}: ${status}\n`);
    },
  });
  for (const problem of tape?.problems() ?? []) await writeAll(io.stderr, `warning: ${problem}\n`);
  await writeAll(io.stdout, `${options.json === true ? JSON.stringify(result) : showResult(result)}\n`);
  return signal.aborted ? EXIT_INTERRUPTED : EXIT_OK;
}

async function watch(options: Options, io: CommandIo, signal: AbortSignal): Promise<number> {
  const sessionDir = existingSessionDir(options.sessionDir, io);
  const settings = settingsOf(options, sessionDir, io);
  for (const warning of settings.warnings) await writeAll(io.stderr, `warning: ${warning}\n`);
  const isOurs = await watchQueue({
    sessionDir,
    signal,
    once: options.once === true,
    say: (line) => writeAll(io.stdout, `${line}\n`),
    run: (question, job) =>
      beginInvestigation({
        sessionDir,
        sessionId: job.sessionId === '' ? null : job.sessionId,
        root: investigationsDirectory(sessionDir),
        question,
        settings,
        env: io.env,
        repo: repoOf(options),
        useModel: options.llm,
        signal,
        onTraceLost: (reason) => io.stderr.write(`warning: a trace is lost, ${reason}\n`),
      }),
  });
  if (isOurs) return signal.aborted && options.once !== true ? EXIT_INTERRUPTED : EXIT_OK;
  throw new UserError({
    code: 'RA_INVESTIGATE_BUSY',
    happened: `another process works off the queue of ${sessionDir}`,
    todo: 'let it, or end it first',
  });
}

async function list(options: Options, io: CommandIo): Promise<number> {
  const root = rootOf(options, sessionOf(options, io), io);
  const past = listPast(root);
  if (options.json === true) {
    for (const { id, state, line } of past) {
      await writeAll(io.stdout, `${JSON.stringify(line ?? { investigation_id: id, state })}\n`);
    }
    return EXIT_OK;
  }
  if (past.length === 0) await writeAll(io.stderr, 'nothing was investigated yet; see --help\n');
  else await writeAll(io.stdout, `${showPast(past)}\n`);
  return EXIT_OK;
}

async function show(id: string, options: Options, io: CommandIo): Promise<number> {
  const stored = readResult(rootOf(options, sessionOf(options, io), io), id);
  const result = stored === undefined ? undefined : parseStored(stored);
  if (stored === undefined || result === undefined) {
    await writeAll(
      io.stderr,
      `RA_INVESTIGATION_UNKNOWN: no result ${id.slice(0, 60)}; \`investigate\` lists those there are\n`,
    );
    return EXIT_FOUND;
  }
  await writeAll(
    io.stdout,
    options.json === true ? `${JSON.stringify(result)}\n` : `${showResult(result)}\n`,
  );
  return EXIT_OK;
}

async function questionFrom(
  words: string,
  options: Options,
  sessionDir: string | null,
  sessionId: string | null,
): Promise<Question> {
  const base = {
    serviceName: options.service ?? null,
    traceId: traceIdOf(options),
    windowMinutes: windowOf(options),
    snapshot: null,
  };
  const nowUnix = Date.now() / 1000;
  if (options.symptom !== undefined) {
    const subject = subjectOf(options);
    const texts = Object.entries(subject).map(([key, value]) => [key, String(value)] as const);
    const key = symptomKey({ name: options.symptom, subject: Object.fromEntries(texts) });
    return { ...base, text: options.symptom, symptom: options.symptom, subject, key, incidentUnix: nowUnix };
  }
  const finding = await wantedFinding(words, options, sessionDir, sessionId);
  if (finding !== undefined) {
    const { symptom_name: name, summary, timestamp_unix: at } = finding;
    const subject = subjectOfFinding(finding);
    return {
      ...base,
      text: summary,
      symptom: name,
      subject,
      key: symptomKey({ name, subject }),
      incidentUnix: at,
    };
  }
  const text = (options.issue ?? words).slice(0, MAX_TEXT);
  return { ...base, text, symptom: null, subject: {}, key: null, incidentUnix: nowUnix };
}

/** A line of an older agent has no subject of its own; its first intent with a detail names it (spec 07 B1). */
function subjectOfFinding({ subject, intents }: Finding): Readonly<Record<string, string>> {
  if (Object.keys(subject).length > 0) return subject;
  const detail = intents.map(({ payload }) => payload['detail']).find(isObject);
  const entries = Object.entries(objectOr(detail?.['subject'])).flatMap(([key, value]) =>
    typeof value === 'string' ? [[key, value] as const] : [],
  );
  return Object.fromEntries(entries);
}

async function wantedFinding(
  words: string,
  { finding: line }: Options,
  sessionDir: string | null,
  sessionId: string | null,
): Promise<Finding | undefined> {
  const isId = /^[0-9a-f]{8}$/.test(words);
  if (line === undefined && !isId) return undefined;
  if (sessionDir !== null && sessionId !== null) {
    for await (const read of readFindings(findingsFiles(sessionDir, sessionId))) {
      if (!read.ok) continue;
      if (line === undefined ? findingId(read.finding) === words : String(read.line) === line)
        return read.finding;
    }
  }
  throw new UserError({
    code: 'RA_FINDING_UNKNOWN',
    happened: `no finding ${line ?? words}`,
    todo: '`findings list` shows the ids',
  });
}

/** The session directory, or null for a question about services alone. */
function sessionOf(options: Options, io: CommandIo): string | null {
  const isNamed = [options.sessionDir, io.env['ROBUSTNESS_SESSION_DIR'], io.env['SESSION_DIR']].some(
    (value) => value !== undefined && value.trim() !== '',
  );
  return isNamed ? existingSessionDir(options.sessionDir, io) : null;
}

/**
 * The session of a question. One that is not there costs its tools, not the answer: services can still be asked (spec 07
 * B18). A finding has to be read from somewhere.
 */
function sessionToAsk(
  options: Options,
  io: CommandIo,
): { readonly sessionDir: string | null; readonly warnings: readonly string[] } {
  try {
    const sessionDir = sessionOf(options, io);
    if (sessionDir === null || options.finding !== undefined || canRead(sessionDir))
      return { sessionDir, warnings: [] };
    return { sessionDir: null, warnings: [`the session directory ${sessionDir} cannot be read`] };
  } catch (error) {
    if (!(error instanceof UserError) || options.finding !== undefined) throw error;
    return { sessionDir: null, warnings: [error.message] };
  }
}

function canRead(directory: string): boolean {
  try {
    accessSync(directory, constants.R_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function rootOf({ out }: Options, sessionDir: string | null, io: CommandIo): string {
  if (out !== undefined) return resolve(io.cwd, out);
  return sessionDir === null ? defaultOut(io.cwd) : investigationsDirectory(sessionDir);
}

function subjectOf({ subject }: Options): JsonObject {
  if (subject === undefined) return {};
  const parsed = parseJson(subject);
  if (parsed.ok && isObject(parsed.value)) return parsed.value;
  throw new UserError({ code: 'RA_USAGE', happened: `--subject ${subject}`, expected: 'a JSON object' });
}

function windowOf({ window }: Options): number {
  const minutes = Number(window);
  if (Number.isInteger(minutes) && minutes >= 1 && minutes <= 1440) return minutes;
  throw new UserError({
    code: 'RA_USAGE',
    happened: `--window ${window}`,
    expected: 'minutes from 1 to 1440',
  });
}

function traceIdOf({ traceId }: Options): string | null {
  if (traceId === undefined) return null;
  if (/^[0-9a-f]{1,32}$/i.test(traceId)) return traceId;
  throw new UserError({
    code: 'RA_USAGE',
    happened: `--trace-id ${traceId}`,
    expected: '1 to 32 hex digits',
  });
}

function settingsOf(options: Options, sessionDir: string | null, io: CommandIo): InvestigateSettings {
  return investigateSettings({
    configFlag: options.config,
    env: io.env,
    cwd: io.cwd,
    sessionDir,
    flags: profileFlag(options),
  });
}

function profileFlag({ profile }: Options): Record<string, string> {
  if (profile === undefined) return {};
  if (profile === 'strict' || profile === 'reference') return { investigate_governor_profile: profile };
  throw new UserError({
    code: 'RA_USAGE',
    happened: `--profile ${profile}`,
    expected: 'strict or reference',
  });
}

function repoOf({ repo }: Options): string | null {
  if (repo === undefined) return null;
  const parsed = parseRepo(repo);
  if (parsed !== null) return parsed;
  throw new UserError({ code: 'RA_USAGE', happened: `--repo ${repo}`, expected: 'OWNER/NAME on GitHub' });
}
