import { realpathSync } from 'node:fs';
import { type Expansion, expandGlobs } from '../../safety/glob.js';
import { JSON_GLOBS, LOG_GLOBS } from './readable.js';

/** A session directory as the tools may see it; listings are made once per run. */
export interface SessionFiles {
  /** Absolute and resolved. */
  readonly root: string;
  readonly sessionId: string;
  logs(): Expansion;
  json(): Expansion;
}

/** Undefined when the directory cannot be resolved. */
export function openSessionFiles(directory: string, sessionId: string): SessionFiles | undefined {
  let root: string;
  try {
    root = realpathSync(directory);
  } catch {
    return undefined;
  }
  let logs: Expansion | undefined;
  let json: Expansion | undefined;
  return {
    root,
    sessionId,
    logs: () => {
      logs ??= expandGlobs(root, LOG_GLOBS);
      return logs;
    },
    json: () => {
      json ??= expandGlobs(root, JSON_GLOBS);
      return json;
    },
  };
}
