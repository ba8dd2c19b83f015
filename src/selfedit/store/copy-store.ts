import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A copy of the database that may be changed at will, and its removal. */
export interface StoreCopy {
  readonly path: string;
  remove(): void;
}

/** Copies the database with its log aside, so that a dry run leaves every byte of the state directory as it is. */
export function copyStore(path: string): StoreCopy {
  const directory = mkdtempSync(join(tmpdir(), 'robustness-selfedit-'));
  const copy = join(directory, 'selfedit.db');
  for (const suffix of ['', '-wal']) {
    if (existsSync(path + suffix)) copyFileSync(path + suffix, copy + suffix);
  }
  return { path: copy, remove: () => rmSync(directory, { recursive: true, force: true }) };
}
