import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Why a write failed: the system's error code (`ENOSPC`, `EACCES`, …) and what it said. */
export interface WriteFailure {
  readonly code: string;
  readonly message: string;
}

/** The system's code and message of a thrown value. */
export function describeFailure(error: unknown): WriteFailure {
  if (!(error instanceof Error)) return { code: 'UNKNOWN', message: String(error) };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return { code, message: error.message };
}

/** Marks our temporary files, so that stale ones can be told from others'. */
export const TEMPORARY_MARK = '.robustness-tmp-';

/**
 * Creates a directory and its parents. Node's own recursive form never returns where a file system answers `ENOENT` below an
 * existing directory, as `/proc` does.
 */
export function ensureDirectory(path: string, mode = 0o777): void {
  // Asked first: it is there in all ticks but the first, and a refusal takes longer.
  if (existsSync(path)) return;
  try {
    mkdirSync(path, mode);
  } catch (error) {
    const { code } = describeFailure(error);
    if (code === 'EEXIST') return;
    const parent = dirname(path);
    if (code !== 'ENOENT' || parent === path || existsSync(parent)) throw error;
    ensureDirectory(parent);
    ensureDirectory(path, mode);
  }
}

export interface ReplaceOptions {
  /** Missing directories are created unless this is false. */
  readonly createDirectory?: boolean;
  /** False for what is of no use after a loss of power: it need not wait for the disk. */
  readonly durable?: boolean;
  /** True for a file and a directory of it that their owner alone may look into. */
  readonly isPrivate?: boolean;
}

/**
 * Replaces a file in one step: a temporary file in the same directory, on the disk before it is renamed over the target. On
 * failure nothing of it remains and the target is as it was.
 */
export function replaceFile(
  path: string,
  content: string,
  { createDirectory = true, durable = true, isPrivate = false }: ReplaceOptions = {},
): WriteFailure | undefined {
  const directory = dirname(path);
  const temporary = join(directory, `.${basename(path)}${TEMPORARY_MARK}${process.pid}`);
  let descriptor: number | undefined;
  try {
    if (createDirectory) ensureDirectory(directory, isPrivate ? 0o700 : 0o777);
    descriptor = openSync(temporary, 'w', isPrivate ? 0o600 : 0o666);
    writeWhole(descriptor, content);
    if (durable) fsyncSync(descriptor);
    closeSync(descriptor);
    descriptor = undefined;
    renameSync(temporary, path);
    return undefined;
  } catch (error) {
    if (descriptor !== undefined) closeSync(descriptor);
    discard(temporary);
    return describeFailure(error);
  }
}

/** Removes a file of ours; where there was nothing to write, there is nothing to remove. */
function discard(path: string): void {
  try {
    removeFile(path);
  } catch {
    // The failure that led here is the one to report.
  }
}

/**
 * Removes a file that need not be there. In place of `rmSync`, which loads the code that removes trees.
 *
 * @throws the system's error when it is there and stays
 */
export function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    const { code } = describeFailure(error);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
  }
}

/** Writes all of it; a short write (a disk filling up) goes on until the system says no. */
export function writeWhole(descriptor: number, content: string): void {
  const bytes = Buffer.from(content, 'utf8');
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
}
