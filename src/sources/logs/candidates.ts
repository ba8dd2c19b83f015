import { type Stats, statSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import type { CollectorEnv } from '../collector.js';
import { breathe } from '../tools/breathe.js';
import { listDirectory } from '../tools/list-directory.js';
import type { Stop } from '../tools/stop.js';
import { globFiles } from './globs.js';

/** A log to be read. */
export interface LogFile {
  readonly path: string;
  /** As it is named in tags and evidence: relative to the session, or to the workspace. */
  readonly name: string;
  /** A final link is followed only inside it. */
  readonly root: string;
  readonly size: number;
  /** Unix s. */
  readonly mtimeUnix: number;
  /** Written by a server, so it may hold the samples of an engine. */
  readonly isServerLog: boolean;
}

const SERVER_LOGS = new Set(['server.log', 'server_log']);
const BESIDE = 'benchmark_stderr.log';
/** Below `runs` (spec 02 §7). */
const MAX_DEPTH = 6;
const MAX_ENTRIES = 5000;
const DIRECTORIES_PER_TURN = 64;

/**
 * The logs of a session, in reading order: the configured primary log, the newest others up to `server_log_max_extra`, the
 * Coordinator's own log (spec 02 §5.7, §10.7). Empty files take no place.
 */
export async function candidateLogs(env: CollectorEnv, signal: Stop): Promise<LogFile[]> {
  const { sessionDir, config, facts } = env;
  const primary = primaryLog(env);
  const workspace = facts.coordinator?.workspaceRoot ?? null;
  const runLog = facts.coordinator?.runLog ?? null;
  const own =
    runLog === null || workspace === null
      ? undefined
      : logFile(runLog, relative(workspace, runLog), workspace, false);
  const extra =
    sessionDir === null || config.server_log_max_extra === 0
      ? []
      : await sessionLogs(sessionDir, env, signal);
  const always = new Set([primary?.path, own?.path]);
  const newest = extra
    .filter((file) => file.size > 0 && !always.has(file.path))
    .sort((a, b) => b.mtimeUnix - a.mtimeUnix)
    .slice(0, config.server_log_max_extra);
  return [primary, ...newest, own].filter((file) => file !== undefined);
}

function primaryLog({ config, sessionDir }: CollectorEnv): LogFile | undefined {
  const configured = config.server_log_path?.trim() ?? '';
  if (configured === '') return undefined;
  if (!isAbsolute(configured) && sessionDir === null) return undefined;
  const path = isAbsolute(configured) ? configured : join(sessionDir ?? '', configured);
  const name = sessionDir === null ? path : nameOf(path, sessionDir);
  // The operator named it, so it may be a link to anywhere.
  return logFile(path, name, '/', true);
}

async function sessionLogs(sessionDir: string, env: CollectorEnv, signal: Stop): Promise<LogFile[]> {
  const found = new Map<string, LogFile>();
  const add = (path: string, isServerLog: boolean) => {
    const file = found.has(path)
      ? undefined
      : logFile(path, nameOf(path, sessionDir), sessionDir, isServerLog);
    if (file !== undefined) found.set(path, file);
  };
  const queue = [{ directory: join(sessionDir, 'runs'), depth: 0 }];
  let entries = 0;
  let visited = 0;
  for (let next = queue.shift(); next !== undefined && entries < MAX_ENTRIES; next = queue.shift()) {
    visited += 1;
    if (visited % DIRECTORIES_PER_TURN === 0) await breathe(signal);
    const listing = listDirectory(next.directory, MAX_ENTRIES - entries);
    if (!listing.ok) continue;
    entries += listing.entries.length;
    for (const entry of listing.entries) {
      const path = join(next.directory, entry.name);
      if (entry.isDirectory()) {
        if (next.depth < MAX_DEPTH) queue.push({ directory: path, depth: next.depth + 1 });
      } else if (next.depth > 0 && SERVER_LOGS.has(entry.name)) add(path, true);
      else if (next.depth > 0 && entry.name === BESIDE) add(path, false);
    }
  }
  const copies = listDirectory(join(sessionDir, 'server_logs'), MAX_ENTRIES);
  for (const entry of copies.ok ? copies.entries : []) {
    if (!entry.isDirectory()) add(join(sessionDir, 'server_logs', entry.name), true);
  }
  for (const glob of env.config.server_log_extra_globs.split(':')) {
    for (const path of await globFiles(sessionDir, glob.trim(), signal)) add(path, true);
  }
  return [...found.values()];
}

function nameOf(path: string, sessionDir: string): string {
  const name = relative(sessionDir, path);
  return name.startsWith('..') ? path : name;
}

function logFile(path: string, name: string, root: string, isServerLog: boolean): LogFile | undefined {
  const stat = statOf(path);
  if (stat?.isFile() !== true) return undefined;
  return { path, name, root, size: stat.size, mtimeUnix: stat.mtimeMs / 1000, isServerLog };
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // One that vanishes or may not be read costs itself alone.
    return undefined;
  }
}
