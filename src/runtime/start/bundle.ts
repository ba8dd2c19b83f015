import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { Script } from 'node:vm';
import type { RunCommand } from '../shared/command.js';

/** A bundle compiled with the code that V8 kept of an earlier run, when it still fits. */
export interface LoadedBundle {
  readonly exports: { readonly run?: RunCommand };
  /** The cache that was taken; undefined when V8 refused all of them, and so compiled everything anew. */
  readonly cache: string | undefined;
  readonly source: string;
  /** What V8 has compiled so far, for a cache file. */
  compiled(): Buffer;
}

/**
 * Loads a CommonJS bundle, written as the function that Node would make of it, as `require` does, but with compiled code from the first cache that this V8 accepts: one of its own
 * version and flags, for a source of this length. Bundles are ASCII, so that V8 can use their bytes as they are.
 *
 * @param caches called one after the other as long as V8 refuses; gives a path or undefined
 */
export function loadBundle(
  path: string,
  load: NodeJS.Require,
  caches: readonly ((source: string) => string | undefined)[],
): LoadedBundle {
  const source = readFileSync(path, 'latin1');
  const { script, cache } = compile(source, basename(path), caches.values());
  const module = { exports: {} };
  Reflect.apply(script.runInThisContext(), undefined, [module.exports, load, module, path, dirname(path)]);
  return { exports: module.exports, cache, source, compiled: () => script.createCachedData() };
}

function compile(
  source: string,
  filename: string,
  caches: IterableIterator<(source: string) => string | undefined>,
): { script: Script; cache: string | undefined } {
  for (const place of caches) {
    const cache = place(source);
    const cachedData = cache === undefined ? undefined : readIfThere(cache);
    if (cachedData === undefined) continue;
    const script = new Script(source, { filename, cachedData });
    if (script.cachedDataRejected !== true) return { script, cache };
  }
  return { script: new Script(source, { filename }), cache: undefined };
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    // Without a cache the program is slower to start, and nothing else.
    return undefined;
  }
}
