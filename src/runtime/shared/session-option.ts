import { basename, resolve } from 'node:path';
import { statOf } from '../../foreign/stat.js';
import { findingsFiles, findingsIds } from '../../reactor/findings/read-findings.js';
import type { CommandIo } from './command.js';
import { UserError } from './user-error.js';

/**
 * The session directory of an operator's command: the flag, else `ROBUSTNESS_SESSION_DIR`, else `SESSION_DIR`.
 *
 * @throws UserError `RA_SESSION_DIR` when none is named or it is no directory
 */
export function existingSessionDir(flag: string | undefined, io: CommandIo): string {
  const named = [flag, io.env['ROBUSTNESS_SESSION_DIR'], io.env['SESSION_DIR']].find(
    (value) => value !== undefined && value.trim() !== '',
  );
  if (named === undefined) {
    throw new UserError({
      code: 'RA_SESSION_DIR',
      happened: 'no session directory is named',
      todo: 'pass --session-dir DIR, or set SESSION_DIR',
    });
  }
  const path = resolve(io.cwd, named);
  if (statOf(path)?.isDirectory()) return path;
  throw new UserError({
    code: 'RA_SESSION_DIR',
    happened: `${path} is no directory`,
    expected: 'the directory that holds storage/coordinator.db',
    todo: 'check the path',
  });
}

/**
 * The id whose findings are meant: the flag, else the directory's name, else the only one that has a findings file.
 *
 * @throws UserError `RA_SESSION_ID` when several could be meant
 */
export function findingsId(sessionDir: string, flag: string | undefined): string {
  if (flag !== undefined) return flag;
  const own = basename(sessionDir);
  if (findingsFiles(sessionDir, own).length > 0) return own;
  const [only, ...others] = findingsIds(sessionDir);
  if (others.length === 0) return only ?? own;
  throw new UserError({
    code: 'RA_SESSION_ID',
    happened: `${sessionDir} holds the findings of several sessions`,
    expected: `one of ${findingsIds(sessionDir).join(', ')}`,
    todo: 'pass --session-id ID',
  });
}
