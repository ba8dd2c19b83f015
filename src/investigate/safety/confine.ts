import { closeSync, constants, fstatSync, openSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { describeFailure } from '../../foreign/write-file.js';
import { refusal } from '../../sources/tools/read-file.js';

export type Confined =
  | { readonly ok: true; readonly fd: number; readonly size: number; readonly mtimeUnix: number }
  | { readonly ok: false; readonly status: 'denied' | 'error'; readonly reason: string };

const MAX_SEGMENTS = 32;
const MAX_LENGTH = 1024;
const REFUSED: readonly RegExp[] = [
  /^\.env/i,
  /^\.git$/i,
  /^\.ssh$/i,
  /^\.netrc$/i,
  /^\.aws$/i,
  /^\.kube$/i,
  /^id_/i,
  /\.pem$/i,
  /\.key$/i,
  /credential/i,
  /secret/i,
];
const REFUSED_BASE = /^token$|[_.-]token$/i;

/** Why a relative path may not be used at all, null when it may (spec 07 B4.3). */
export function pathProblem(path: string): string | null {
  if (path.length === 0 || path.length > MAX_LENGTH) return `a path has 1 to ${MAX_LENGTH} characters`;
  if (/[\u0000-\u001f\u007f\\]|\p{Surrogate}/u.test(path))
    return 'a path has no control character or backslash';
  if (path.startsWith('/')) return 'a path is relative';
  const segments = path.split('/');
  if (segments.length > MAX_SEGMENTS) return `a path has at most ${MAX_SEGMENTS} segments`;
  if (segments.some((segment) => segment === '' || segment === '.' || segment === '..')) {
    return 'a path has no empty, . or .. segment';
  }
  return hasRefusedName(segments) ? 'files of this name hold secrets' : null;
}

/** True for names that hold secrets, anywhere in a path. */
export function hasRefusedName(segments: readonly string[]): boolean {
  const base = segments.at(-1) ?? '';
  return REFUSED_BASE.test(base) || segments.some((segment) => REFUSED.some((name) => name.test(segment)));
}

/**
 * Opens a regular file below a root and nothing else: links are followed only inside it, and what was opened is checked on
 * the descriptor (spec 07 B4.3). The caller closes the descriptor. Never throws.
 *
 * @param root absolute and resolved
 */
export function openConfined(root: string, path: string): Confined {
  const problem = pathProblem(path);
  if (problem !== null) return { ok: false, status: 'denied', reason: problem };
  let fd: number | undefined;
  try {
    const resolved = realpathSync(join(root, path));
    const inside = resolved.startsWith(root.endsWith(sep) ? root : root + sep);
    if (!inside) return { ok: false, status: 'denied', reason: 'the path leads out of its root' };
    if (hasRefusedName(resolved.slice(root.length).split(sep).filter(Boolean))) {
      return { ok: false, status: 'denied', reason: 'files of this name hold secrets' };
    }
    fd = openSync(resolved, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stat = fstatSync(fd);
    const refused = !stat.isFile()
      ? 'not a regular file'
      : isStillAt(fd, resolved, stat)
        ? null
        : 'the path changed while it was opened';
    if (refused === null) return { ok: true, fd, size: stat.size, mtimeUnix: stat.mtimeMs / 1000 };
    closeSync(fd);
    return { ok: false, status: 'denied', reason: refused };
  } catch (error) {
    if (fd !== undefined) closeSync(fd);
    const { reason } = refusal(error);
    if (reason === 'missing') return { ok: false, status: 'error', reason: 'there is no such file' };
    return { ok: false, status: 'error', reason: `cannot be read: ${describeFailure(error).code}` };
  }
}

function isStillAt(fd: number, resolved: string, stat: { dev: number; ino: number }): boolean {
  if (process.platform === 'linux') return readlinkSync(`/proc/self/fd/${fd}`) === resolved;
  const named = statSync(resolved);
  return named.dev === stat.dev && named.ino === stat.ino;
}
