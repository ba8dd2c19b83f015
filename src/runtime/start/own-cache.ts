import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { Script } from 'node:vm';
import { statOf } from '../../foreign/stat.js';
import { ensureDirectory } from '../../foreign/write-file.js';

/** Files that are kept; each Node and each version of ours has two. */
const KEPT = 8;

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

const fresh: { readonly path: string; readonly script: Script }[] = [];

/** Compiles a bundle with the user's own copy of its compiled code, or anew where there is none that fits. */
export function compileAgain(
  source: string,
  filename: string,
  env: Readonly<Record<string, string | undefined>>,
): Script {
  const path = ownCachePath(source, env);
  const cachedData = path === undefined ? undefined : readIfThere(path);
  const script = new Script(source, cachedData === undefined ? { filename } : { filename, cachedData });
  if (path !== undefined && script.cachedDataRejected !== false) fresh.push({ path, script });
  return script;
}

/** Keeps what was compiled anew, with all that has run by now. */
export function keepFresh(): void {
  for (const { path, script } of fresh.splice(0)) keepCompiled(path, script.createCachedData());
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    // It is made at the end of this run.
    return undefined;
  }
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
