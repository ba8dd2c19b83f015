#!/usr/bin/env node
// Bundles the CLI: one small entry, one file per command, so that a command loads only its own code.
// CommonJS, because its start-up is measurably shorter than that of ES modules on Node 20.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const commands = readdirSync('src/runtime')
  .filter((file) => file.endsWith('.ts'))
  .map((file) => `src/runtime/${file}`);

const shared = {
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'cjs',
  packages: 'external',
  sourcemap: false,
  legalComments: 'none',
  logLevel: 'warning',
  // Native ES-module syntax that has no CommonJS counterpart.
  define: { 'import.meta.url': '__bundle_url' },
  banner: { js: "const __bundle_url = require('node:url').pathToFileURL(__filename).href;" },
};

rmSync('dist', { recursive: true, force: true });
mkdirSync('dist', { recursive: true });
writeFileSync('dist/package.json', `${JSON.stringify({ type: 'commonjs' })}\n`);
await build({ ...shared, entryPoints: ['src/cli.ts'], outdir: 'dist', external: ['./runtime/*'] });
if (commands.length > 0) await build({ ...shared, entryPoints: commands, outdir: 'dist/runtime' });
