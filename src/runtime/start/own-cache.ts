import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { statOf } from '../../foreign/stat.js';
import { ensureDirectory } from '../../foreign/write-file.js';

/** Programs whose compiled code is kept; each Node and each version of ours has its own. */
const KEPT = 4;

/**
 * Where the user's own copy of the compiled code belongs, for a Node other than the one this was built with. The name holds
 * a digest of the source, because V8 itself compares only its length. Undefined without a home, or where somebody else could
 * write: whoever writes this file decides what we execute.
 */
export function ownCachePath(
  source: string,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const base = env['XDG_CACHE_HOME'] || (env['HOME'] ? join(env['HOME'], '.cache') : '');
  if (!isAbsolute(base)) return undefined;
  const directory = join(base, 'robustness-agent');
  const found = statOf(directory);
  if (found !== undefined && (found.uid !== process.getuid?.() || (found.mode & 0o022) !== 0))
    return undefined;
  const digest = createHash('sha256').update(source, 'latin1').digest('hex').slice(0, 16);
  return join(directory, `${digest}-${process.version}-${process.arch}.v8cache`);
}

/** Keeps compiled code for the next start; gives up silently, because it only saves time. */
export function keepCompiled(path: string, compiled: Buffer): void {
  const directory = dirname(path);
  const temporary = `${path}.${process.pid}`;
  try {
    ensureDirectory(dirname(directory));
    if (!existsSync(directory)) mkdirSync(directory, { mode: 0o700 });
    dropOldest(directory);
    writeFileSync(temporary, compiled, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, path);
  } catch {
    discard(temporary);
  }
}

function discard(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // It could not be written either.
  }
}

function dropOldest(directory: string): void {
  const files = readdirSync(directory).map((name) => join(directory, name));
  const byAge = files.map((path) => ({ path, age: -statSync(path).mtimeMs })).sort((a, b) => a.age - b.age);
  for (const { path } of byAge.slice(KEPT - 1)) rmSync(path, { force: true });
}
