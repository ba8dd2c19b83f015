import { resolve } from 'node:path';
import { parseRepo } from '../../investigate/evidence/names.js';
import { investigationsDirectory } from '../../investigate/store/paths.js';
import { defaultOut } from '../investigate/begin.js';
import { investigateSettings } from '../investigate/settings.js';
import type { CommandIo } from '../shared/command.js';
import type { Logger } from '../shared/logger.js';
import { existingSessionDir, findingsId } from '../shared/session-option.js';
import { writeAll } from '../shared/streams.js';
import { UserError } from '../shared/user-error.js';
import { chatPageSettings, serveChatPage } from './chat-page.js';
import { workOffQueue } from './queue-worker.js';

const MAX_PORT = 65_535;

export interface ServeChatOptions {
  readonly host?: string;
  readonly port?: string;
  readonly config?: string;
  readonly sessionDir?: string;
  readonly sessionId?: string;
  readonly out?: string;
  readonly repo?: string;
  readonly llm: boolean;
}

/**
 * Serves the chat page and, with a session directory, works off its queue; the function returned ends both.
 *
 * @throws UserError for settings or an address that cannot be used
 */
export async function serveChat(
  options: ServeChatOptions,
  io: CommandIo,
  logger: Logger,
): Promise<() => Promise<void>> {
  const { env, cwd } = io;
  const sessionDir = sessionOf(options, io);
  const sessionId = sessionDir === null ? null : findingsId(sessionDir, options.sessionId);
  // What the first question would meet is better said now.
  const settings = investigateSettings({
    configFlag: options.config,
    env,
    cwd,
    sessionDir,
    flags: flagsOf(options),
  });
  for (const warning of settings.warnings) logger.warn('a setting', { warning });
  const stop = new AbortController();
  const repo = repoOf(options);
  const common = { settings, env, repo, useModel: options.llm, logger };
  const page = await serveChatPage({
    ...common,
    page: chatPageSettings(settings),
    sessionDir,
    sessionId,
    root: rootOf(options, sessionDir, cwd),
  });
  await writeAll(io.stdout, `investigations: ${page.url}\n`);
  const say = (line: string) => writeAll(io.stdout, `${line}\n`);
  const worker =
    sessionDir === null ? undefined : workOffQueue({ ...common, sessionDir, say, signal: stop.signal });
  return async () => {
    stop.abort();
    await page.close();
    await worker;
  };
}

function flagsOf({ host, port }: ServeChatOptions): Record<string, string> {
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) <= MAX_PORT)) {
    throw new UserError({
      code: 'RA_CONFIG_INVALID',
      happened: `--port is ${JSON.stringify(port)}`,
      expected: `a whole number from 0 to ${MAX_PORT}`,
    });
  }
  return {
    ...(host === undefined ? {} : { investigate_host: host }),
    ...(port === undefined ? {} : { investigate_port: port }),
  };
}

function sessionOf({ sessionDir }: ServeChatOptions, io: CommandIo): string | null {
  const named = [sessionDir, io.env['ROBUSTNESS_SESSION_DIR'], io.env['SESSION_DIR']];
  const isNamed = named.some((value) => value !== undefined && value.trim() !== '');
  return isNamed ? existingSessionDir(sessionDir, io) : null;
}

function rootOf({ out }: ServeChatOptions, sessionDir: string | null, cwd: string): string {
  if (out !== undefined) return resolve(cwd, out);
  return sessionDir === null ? defaultOut(cwd) : investigationsDirectory(sessionDir);
}

function repoOf({ repo }: ServeChatOptions): string | null {
  if (repo === undefined) return null;
  const parsed = parseRepo(repo);
  if (parsed !== null) return parsed;
  throw new UserError({
    code: 'RA_USAGE',
    happened: `--repo ${repo} names no repository`,
    expected: 'OWNER/NAME or the URL of a GitHub repository',
  });
}
