import { copyFileSync, mkdtempSync, readdirSync, rmdirSync, statSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface PrivateCopy {
  /** Path of the copied database; nobody else writes it. */
  readonly path: string;
}

const SIDE_FILES = ['-wal', '-journal'] as const;
const ATTEMPTS = 3;

let last:
  | { readonly fingerprint: string; readonly directory: string; readonly copy: PrivateCopy }
  | undefined;

/**
 * Copies a database with what belongs to it, so that reading leaves nothing beside the original (spec 02 §10.3). Repeated
 * when a file changed meanwhile; an unchanged database is not copied twice by one process. The copies go when the process
 * ends.
 *
 * @throws the file system's error
 */
export function copyDatabase(path: string): PrivateCopy {
  let before = fingerprintOf(path);
  if (last?.fingerprint === before) return last.copy;
  dropLast();
  const directory = mkdtempSync(join(tmpdir(), 'robustness-db-'));
  const target = join(directory, 'coordinator.db');
  for (let attempt = 1; ; attempt += 1) {
    copyFileSync(path, target);
    for (const suffix of SIDE_FILES) copyIfPresent(path + suffix, target + suffix);
    const after = fingerprintOf(path);
    if (after === before || attempt === ATTEMPTS) break;
    before = after;
  }
  last = { fingerprint: before, directory, copy: { path: target } };
  process.once('exit', dropLast);
  return last.copy;
}

/** Bytes of the database and what belongs to it. */
export function totalBytes(path: string): number {
  return ['', ...SIDE_FILES].reduce((sum, suffix) => sum + (sizeAndTime(path + suffix)?.size ?? 0), 0);
}

function dropLast(): void {
  process.removeListener('exit', dropLast);
  if (last === undefined) return;
  const { directory } = last;
  last = undefined;
  try {
    // One by one: removing a tree loads a module that costs more than all of this.
    for (const name of readdirSync(directory)) unlinkSync(join(directory, name));
    rmdirSync(directory);
  } catch {
    // Somebody has taken the temporary directory away from us; reading must not fail for that.
  }
}

function copyIfPresent(from: string, to: string): void {
  if (sizeAndTime(from) !== undefined) copyFileSync(from, to);
  else if (sizeAndTime(to) !== undefined) unlinkSync(to);
}

function fingerprintOf(path: string): string {
  const parts = ['', ...SIDE_FILES].map((suffix) => {
    const stat = sizeAndTime(path + suffix);
    return stat === undefined ? '-' : `${stat.ino}:${stat.size}:${stat.mtimeMs}`;
  });
  return [path, ...parts].join('|');
}

function sizeAndTime(path: string): { ino: number; size: number; mtimeMs: number } | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() ? stat : undefined;
}
