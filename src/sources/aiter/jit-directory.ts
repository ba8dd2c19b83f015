import { lstatSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import type { CollectorEnv } from '../collector.js';
import { namesIn } from '../tools/list-directory.js';

/** Prefixes in which serving images keep their Python. */
const PREFIXES = ['/usr/local', '/opt/venv'];
const CHECKOUT = '/sgl-workspace/aiter/aiter/jit';

/**
 * The kernel cache of aiter as the serving environment finds it (spec 02 §10.7): configured, named by the environment,
 * beside the checkout, in a site directory, or in that of a Python that runs one of our servers. Null when there is none.
 */
export function jitDirectory({ config, env, facts }: CollectorEnv): string | null {
  const interpreters = (facts.processes?.processes ?? [])
    .filter((fact) => fact.isServer && fact.sessionOwned === true && isAbsolute(fact.argv[0] ?? ''))
    .map((fact) => dirname(dirname(fact.argv[0] ?? '')));
  const named = [
    config.aiter_jit_dir,
    env['INFERENCE_OPTIMIZER_AITER_JIT_DIR'],
    env['AITER_JIT_DIR'],
    CHECKOUT,
  ];
  for (const candidate of named) {
    const path = candidate?.trim() ?? '';
    if (isAbsolute(path) && isDirectory(path)) return path;
  }
  return [...interpreters, ...PREFIXES].flatMap(siteDirectories).find(isDirectory) ?? null;
}

/** Where locks and half-made modules lie: the build root of the environment, else that of the home directory. */
export function buildDirectory(env: CollectorEnv['env']): string | null {
  const root = env['AITER_ROOT_DIR']?.trim() ?? '';
  if (isAbsolute(root)) return join(root, 'build');
  const home = env['HOME']?.trim() ?? '';
  return isAbsolute(home) ? join(home, '.aiter', 'build') : null;
}

function siteDirectories(prefix: string): string[] {
  const pythons = namesIn(join(prefix, 'lib'), 2000)
    .filter((name) => /^python3\.\d{1,2}$/.test(name))
    .sort();
  return pythons.flatMap((python) =>
    ['site-packages', 'dist-packages'].map((site) => join(prefix, 'lib', python, site, 'aiter', 'jit')),
  );
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Size and time of a file, links not followed; undefined when it has vanished. */
export function fileFacts(path: string): { readonly size: number; readonly mtimeUnix: number } | undefined {
  try {
    const stat = lstatSync(path);
    return { size: stat.size, mtimeUnix: stat.mtimeMs / 1000 };
  } catch {
    return undefined;
  }
}
