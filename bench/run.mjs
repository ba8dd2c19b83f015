#!/usr/bin/env node
// Runs a benchmark written in TypeScript: node bench/run.mjs bench/NAME.ts [ARGS]
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const [script] = process.argv.slice(2);
if (script === undefined) {
  process.stderr.write('usage: node bench/run.mjs bench/NAME.ts [ARGS]\n');
  process.exit(2);
}
// Inside the package, so that what stays outside the bundle is found.
mkdirSync('node_modules/.cache', { recursive: true });
const directory = mkdtempSync(join('node_modules/.cache', 'bench-'));
const outfile = join(directory, 'bench.cjs');
try {
  const common = { bundle: true, platform: 'node', format: 'cjs', target: 'node20.19', logLevel: 'warning' };
  // As in the build of the product: `import.meta.url` has no CommonJS counterpart.
  const ownUrl = { define: { 'import.meta.url': '__bundle_url' }, inject: ['scripts/build/bundle-url.mjs'] };
  await build({
    ...common,
    ...ownUrl,
    entryPoints: [resolve(script)],
    outfile,
    external: ['better-sqlite3'],
  });
  const { main } = (await import(pathToFileURL(resolve(outfile)).href)).default;
  await main(process.argv.slice(3));
} finally {
  rmSync(directory, { recursive: true, force: true });
}
