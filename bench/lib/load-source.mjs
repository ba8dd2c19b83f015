import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

/** Imports a source file written in TypeScript. */
export async function loadSource(path) {
  // Inside the package, so that what stays outside the bundle is found.
  mkdirSync('node_modules/.cache', { recursive: true });
  const directory = mkdtempSync(join('node_modules/.cache', 'bench-'));
  const outfile = resolve(directory, 'source.cjs');
  try {
    await build({
      entryPoints: [path],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      target: 'node20.19',
      packages: 'external',
      define: { 'import.meta.url': '__filename' },
      logLevel: 'warning',
    });
    return createRequire(outfile)(outfile);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
