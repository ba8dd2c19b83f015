import { realpathSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';
import { type JsonObject, nonBlank } from '../../foreign/json.js';
import { isInside } from '../tools/paths.js';

/**
 * The workspace that a session lies in: the first of the manifest's `user_data_path`, `$USER_DATA_PATH` and the session's
 * grandparent that is the session directory or an ancestor of it (spec 02 §10.6).
 */
export function workspaceRootOf(
  sessionDir: string,
  manifest: JsonObject,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const candidates = [nonBlank(manifest['user_data_path']), nonBlank(env['USER_DATA_PATH'])];
  for (const candidate of candidates) {
    if (candidate === undefined || !isAbsolute(candidate)) continue;
    if (isInside(sessionDir, candidate) || isInside(realOr(sessionDir), realOr(candidate)))
      return resolve(candidate);
  }
  return dirname(dirname(resolve(sessionDir)));
}

/** The path with its links resolved, or as it is when that fails. */
export function realOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
