import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A directory of its own for one test, removed afterwards. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'sources-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Writes files below a root, with the directories that they need; a path with a trailing slash is a directory. */
export function writeTree(root: string, files: Readonly<Record<string, string>>): string {
  for (const [path, content] of Object.entries(files)) {
    const target = join(root, path);
    if (path.endsWith('/')) mkdirSync(target, { recursive: true });
    else {
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, content);
    }
  }
  return root;
}
