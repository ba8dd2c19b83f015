import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { statOf } from '../../foreign/stat.js';
import { UserError } from './user-error.js';

/**
 * The session directory of a tick: the request's option, else `ROBUSTNESS_SESSION_DIR`, else `SESSION_DIR` (spec 01 §9.1).
 * It need not exist yet, but must not be something else.
 *
 * @throws UserError `RA_SESSION_DIR`
 */
export function requestSessionDir(
  option: unknown,
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
): string {
  const named = [option, env['ROBUSTNESS_SESSION_DIR'], env['SESSION_DIR']].find(
    (value): value is string => typeof value === 'string' && value.trim() !== '' && !value.includes('\0'),
  );
  if (named === undefined) {
    throw new UserError({
      code: 'RA_SESSION_DIR',
      happened: 'neither options.session_dir nor SESSION_DIR names a session directory',
      expected: 'a path',
      todo: 'set options.session_dir in the request',
    });
  }
  return usableDirectory(resolve(cwd, named));
}

/** @throws UserError `RA_SESSION_DIR` when something else than a directory is there */
export function usableDirectory(path: string): string {
  const found = statOf(path);
  if (found !== undefined && !found.isDirectory()) {
    throw new UserError({
      code: 'RA_SESSION_DIR',
      happened: `${path} is no directory`,
      expected: 'the session directory',
      todo: 'name the directory that holds storage/coordinator.db',
    });
  }
  return path;
}

/**
 * The directory's own path, links resolved: processes and hosts name it so, and ownership is told by comparing paths (spec 03
 * local_health-5). One that does not exist yet stays as it is.
 */
export function ownPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
