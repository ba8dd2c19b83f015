import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { isInside } from './paths.js';

export interface ReadLimits {
  /** Bytes. */
  readonly maxBytes: number;
  /**
   * What to do with a larger file: refuse it (the default), or read only its first or last `maxBytes`.
   */
  readonly oversize?: 'refuse' | 'head' | 'tail';
  /** A final link is followed only if it resolves inside this directory; without it never. */
  readonly root?: string | null;
}

export interface FileContent {
  readonly ok: true;
  readonly bytes: Buffer;
  /** Byte position of `bytes[0]` in the file. */
  readonly offset: number;
  /** Bytes of the whole file. */
  readonly size: number;
  /** Unix s. */
  readonly mtimeUnix: number;
  readonly dev: number;
  readonly ino: number;
}

export interface FileRefusal {
  readonly ok: false;
  readonly reason: 'missing' | 'permission' | 'not_regular' | 'outside' | 'too_large' | 'io';
  readonly detail: string;
  /** Bytes, when the size is the reason. */
  readonly size?: number;
}

/**
 * Reads a file that somebody else writes (spec 02 §10.1): opened non-blocking and without following a final link unless it
 * stays inside `root`, regular files only (checked on the descriptor), never more than `maxBytes`. Never throws.
 */
export function readFileBounded(path: string, limits: ReadLimits): FileContent | FileRefusal {
  const opened = openRegular(path, limits.root ?? null);
  if (!opened.ok) return opened;
  const { fd, stat } = opened;
  try {
    const oversize = limits.oversize ?? 'refuse';
    if (stat.size > limits.maxBytes && oversize === 'refuse') {
      const detail = `${stat.size} bytes, limit ${limits.maxBytes}`;
      return { ok: false, reason: 'too_large', detail, size: stat.size };
    }
    const offset = oversize === 'tail' ? Math.max(0, stat.size - limits.maxBytes) : 0;
    const bytes = readRange(fd, offset, Math.min(stat.size - offset, limits.maxBytes));
    return {
      ok: true,
      bytes,
      offset,
      size: stat.size,
      mtimeUnix: stat.mtimeMs / 1000,
      dev: stat.dev,
      ino: stat.ino,
    };
  } catch (error) {
    return refusal(error);
  } finally {
    closeSync(fd);
  }
}

/** The file as text, decoded lossily. */
export function readTextBounded(
  path: string,
  limits: ReadLimits,
): (FileContent & { readonly text: string }) | FileRefusal {
  const read = readFileBounded(path, limits);
  return read.ok ? { ...read, text: read.bytes.toString('utf8') } : read;
}

export interface OpenFile {
  readonly ok: true;
  readonly fd: number;
  readonly stat: {
    readonly size: number;
    readonly mtimeMs: number;
    readonly dev: number;
    readonly ino: number;
  };
}

/** Opens a regular file as above; the caller closes the descriptor. */
export function openRegular(path: string, root: string | null): OpenFile | FileRefusal {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
  let fd: number;
  try {
    fd = openSync(path, flags);
  } catch (error) {
    if (errorCode(error) !== 'ELOOP') return refusal(error);
    const target = resolveInside(path, root);
    if (!target.ok) return target;
    try {
      fd = openSync(target.path, flags);
    } catch (second) {
      return refusal(second);
    }
  }
  try {
    const stat = fstatSync(fd);
    if (stat.isFile()) return { ok: true, fd, stat };
    closeSync(fd);
    return { ok: false, reason: 'not_regular', detail: 'not a regular file' };
  } catch (error) {
    closeSync(fd);
    return refusal(error);
  }
}

/** Up to `length` bytes from `offset`; fewer when the file is shorter by now. */
export function readRange(fd: number, offset: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(Math.max(0, length));
  let filled = 0;
  while (filled < buffer.length) {
    const count = readSync(fd, buffer, filled, buffer.length - filled, offset + filled);
    if (count === 0) break;
    filled += count;
  }
  return buffer.subarray(0, filled);
}

/** The refusal that a failed system call amounts to. */
export function refusal(error: unknown): FileRefusal {
  const code = errorCode(error);
  const detail = code === '' ? String(error) : code;
  if (code === 'ENOENT' || code === 'ENOTDIR') return { ok: false, reason: 'missing', detail };
  if (code === 'EACCES' || code === 'EPERM') return { ok: false, reason: 'permission', detail };
  // ENXIO: a socket; a FIFO opens and is refused by its type.
  if (code === 'ENXIO' || code === 'EISDIR') return { ok: false, reason: 'not_regular', detail };
  return { ok: false, reason: 'io', detail };
}

function resolveInside(path: string, root: string | null): { ok: true; path: string } | FileRefusal {
  const outside: FileRefusal = { ok: false, reason: 'outside', detail: 'a link that leaves the session' };
  if (root === null) return outside;
  try {
    const target = realpathSync(path);
    return isInside(target, realpathSync(root)) ? { ok: true, path: target } : outside;
  } catch (error) {
    return refusal(error);
  }
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
