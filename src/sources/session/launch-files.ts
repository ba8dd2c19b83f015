import { statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { integer, type JsonObject, nonBlank } from '../../foreign/json.js';
import { listDirectory } from '../tools/list-directory.js';
import { isInside } from '../tools/paths.js';
import { readTextBounded } from '../tools/read-file.js';
import { readJsonObject } from '../tools/read-json.js';
import { realOr } from './workspace.js';

/** A launch of this session (spec 02 §7). */
export interface Launch {
  readonly path: string;
  readonly pid: number | null;
  /** Absolute, inside the workspace; null when the record names none that is. */
  readonly runLog: string | null;
  /** When the record was written, unix s. */
  readonly writtenUnix: number;
}

/** A pid file and the number on its first line. */
export interface PidFile {
  readonly path: string;
  readonly pid: number;
  readonly writtenUnix: number;
}

const LAUNCH_BYTES = 64 * 1024;
const PID_BYTES = 4096;
/** Launch files of other sessions that are opened before giving up. */
const MAX_OPENED = 64;

/** The newest `launch_*.json` in the workspace whose session is this one, or null. */
export function newestLaunch(workspace: string, sessionDir: string): Launch | null {
  const directory = join(workspace, 'optimizer_runs');
  for (const { path, mtimeUnix } of newestFirst(directory, /^launch_.*\.json$/).slice(0, MAX_OPENED)) {
    const read = readJsonObject(path, { maxBytes: LAUNCH_BYTES, root: workspace });
    if (!read.ok) continue;
    const session = nonBlank(read.value['session_dir']);
    if (
      session === undefined ||
      (resolve(session) !== resolve(sessionDir) && realOr(session) !== realOr(sessionDir))
    )
      continue;
    return {
      path,
      pid: integer(read.value['pid']) ?? null,
      runLog: runLogOf(read.value, workspace),
      writtenUnix: mtimeUnix,
    };
  }
  return null;
}

/** The newest readable pid file in `optimizer_runs` of the session or the workspace, or null. */
export function newestPidFile(workspace: string, sessionDir: string): PidFile | null {
  const directories = [...new Set([join(sessionDir, 'optimizer_runs'), join(workspace, 'optimizer_runs')])];
  const files = directories.flatMap((directory) => newestFirst(directory, /^run_.*\.pid$/));
  for (const { path, mtimeUnix } of files.sort((a, b) => b.mtimeUnix - a.mtimeUnix).slice(0, MAX_OPENED)) {
    const read = readTextBounded(path, { maxBytes: PID_BYTES, root: workspace });
    if (!read.ok) continue;
    const line = (read.text.split(/\r?\n|\r/, 1)[0] ?? '').replace(/"/g, '').trim();
    if (/^\d{1,15}$/.test(line)) return { path, pid: Number(line), writtenUnix: mtimeUnix };
  }
  return null;
}

function runLogOf(launch: JsonObject, workspace: string): string | null {
  const log = nonBlank(launch['run_log']);
  return log !== undefined && isAbsolute(log) && isInside(log, workspace) ? log : null;
}

function newestFirst(directory: string, name: RegExp): { path: string; mtimeUnix: number }[] {
  const listing = listDirectory(directory);
  if (!listing.ok) return [];
  const files = listing.entries.flatMap((entry) => {
    if (!name.test(entry.name)) return [];
    const path = join(directory, entry.name);
    try {
      const stat = statSync(path, { throwIfNoEntry: false });
      return stat?.isFile() === true ? [{ path, mtimeUnix: stat.mtimeMs / 1000 }] : [];
    } catch {
      return [];
    }
  });
  return files.sort((a, b) => b.mtimeUnix - a.mtimeUnix);
}
