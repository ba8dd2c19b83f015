import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll } from 'vitest';

/** Bundles a script of this folder once per test file, so that tests can run it as a process of its own. */
export function bundled(script: string): () => string {
  let directory = '';
  let path = '';
  beforeAll(async () => {
    mkdirSync('node_modules/.cache', { recursive: true });
    directory = mkdtempSync(join('node_modules/.cache', 'selfedit-'));
    path = resolve(directory, 'script.cjs');
    await build({
      entryPoints: [resolve('tests/selfedit/support', script)],
      outfile: path,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      target: 'node20.19',
      external: ['better-sqlite3'],
      logLevel: 'error',
    });
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  return () => path;
}
