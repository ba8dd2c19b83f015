import { closeSync, fstatSync, openSync, readSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { describeFailure, ensureDirectory, type WriteFailure, writeWhole } from '../../foreign/write-file.js';

export interface AppendOptions {
  /** The file is rotated to `<name>.1.jsonl` once it is this large, bytes. */
  readonly rotateAt: number;
  /** Only the holder of the state lock may rotate. */
  readonly mayRotate: boolean;
}

/**
 * Appends lines in one write (spec 01 §6). A file that a crash left with a torn last line first gets its newline, so that
 * the torn line costs itself and no other.
 */
export function appendLines(
  path: string,
  lines: readonly string[],
  options: AppendOptions,
): WriteFailure | undefined {
  if (lines.length === 0) return undefined;
  let descriptor: number | undefined;
  try {
    ensureDirectory(dirname(path));
    descriptor = openSync(path, 'a+', 0o666);
    const size = fstatSync(descriptor).size;
    if (options.mayRotate && size >= options.rotateAt) {
      closeSync(descriptor);
      descriptor = undefined;
      renameSync(path, path.replace(/\.jsonl$/, '.1.jsonl'));
      descriptor = openSync(path, 'a+', 0o666);
    }
    const tail = endsTorn(descriptor) ? '\n' : '';
    writeWhole(descriptor, `${tail}${lines.join('\n')}\n`);
    return undefined;
  } catch (error) {
    return describeFailure(error);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function endsTorn(descriptor: number): boolean {
  const { size } = fstatSync(descriptor);
  if (size === 0) return false;
  const last = Buffer.allocUnsafe(1);
  readSync(descriptor, last, 0, 1, size - 1);
  return last[0] !== 10;
}
