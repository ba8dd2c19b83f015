#!/usr/bin/env node
// Bundles the CLI: one small entry, one file per command, so that a command loads only its own code.
// CommonJS, because its start-up is measurably shorter than that of ES modules on Node 20.
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const commands = readdirSync('src/runtime')
  .filter((file) => file.endsWith('.ts'))
  .map((file) => `src/runtime/${file}`);

/** Commands are files of their own beside the entry, never part of it. */
const commandsStayOutside = {
  name: 'commands-stay-outside',
  setup(bundle) {
    bundle.onResolve({ filter: /^\.\/runtime\/[a-z-]+\.js$/ }, ({ path }) => ({ path, external: true }));
  },
};

const shared = {
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'cjs',
  packages: 'external',
  sourcemap: false,
  legalComments: 'none',
  logLevel: 'warning',
  // `import.meta.url` has no CommonJS counterpart.
  define: { 'import.meta.url': '__bundle_url' },
  banner: { js: "const __bundle_url = require('node:url').pathToFileURL(__filename).href;" },
};

// Built aside and swapped in, so that a running test never meets a half-written bundle.
const fresh = `dist.new-${process.pid}`;
mkdirSync(fresh, { recursive: true });
try {
  writeFileSync(`${fresh}/package.json`, `${JSON.stringify({ type: 'commonjs' })}\n`);
  await build({ ...shared, entryPoints: ['src/cli.ts'], outdir: fresh, plugins: [commandsStayOutside] });
  await build({ ...shared, entryPoints: commands, outdir: `${fresh}/runtime` });
  rmSync('dist', { recursive: true, force: true });
  renameSync(fresh, 'dist');
} finally {
  rmSync(fresh, { recursive: true, force: true });
}
