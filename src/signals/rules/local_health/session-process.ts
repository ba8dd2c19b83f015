import { type JsonObject, text } from '../../../foreign/json.js';

const DELETED = ' (deleted)';

/**
 * Whether a process belongs to the session as far as its words tell: its directory, or an absolute path in its command line,
 * is the session directory or below it. Paths are compared by component, `.` and `..` resolved, and no file is touched
 * (spec 03 §8.1, local_health-5).
 */
export function mentionsSession(process: JsonObject, sessionDir: string): boolean {
  if (sessionDir === '') return true;
  const anchor = components(sessionDir);
  if (!anchor || anchor.length === 0) return false;
  const cwd = text(process['cwd']) ?? '';
  const candidates = [
    cwd.endsWith(DELETED) ? cwd.slice(0, -DELETED.length) : cwd,
    ...wordsOf(text(process['cmd']) ?? ''),
  ];
  return candidates.some((candidate) => isAtOrBelow(candidate, anchor));
}

/** Each token, and every part between its `=` signs, without surrounding quotes. */
function wordsOf(command: string): string[] {
  const tokens = command.split(/\s+/);
  return tokens.flatMap((token) => [token, ...token.split('=')]).map(unquote);
}

function unquote(word: string): string {
  const quote = word.charAt(0);
  const isQuoted = (quote === '"' || quote === "'") && word.length > 1 && word.endsWith(quote);
  return isQuoted ? word.slice(1, -1) : word;
}

function isAtOrBelow(candidate: string, anchor: readonly string[]): boolean {
  const parts = components(candidate);
  return parts !== undefined && anchor.every((part, index) => parts[index] === part);
}

/** Components of an absolute path; relative paths have none. */
function components(path: string): string[] | undefined {
  if (!path.startsWith('/')) return undefined;
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts;
}
