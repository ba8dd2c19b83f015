#!/usr/bin/env node
// Bundles the CLI: one small entry, one file per command, so that a command loads only its own code.
// CommonJS, because its start-up is measurably shorter than that of ES modules on Node 20.
//
//   node scripts/build.mjs [--out DIRECTORY]
import { cpSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { writeCodeCache } from './build/code-cache.mjs';
import { lazyBuiltins } from './build/lazy-builtins.mjs';
import { leftToTheBundle, ownParts, withSharedModules } from './build/own-parts.mjs';

const { out } = parseArgs({ options: { out: { type: 'string', default: 'dist' } } }).values;

const commands = readdirSync('src/runtime')
  .filter((file) => file.endsWith('.ts') && file !== 'tick.ts')
  .map((file) => `src/runtime/${file}`);

/** Files that a bundle loads when it needs them, never parts of it. */
const staysOutside = {
  name: 'stays-outside',
  setup(bundle) {
    bundle.onResolve({ filter: /^\.\/(?:runtime\/[a-z-]+|commands)\.js$/ }, ({ path }) => ({
      path,
      external: true,
    }));
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
  inject: ['scripts/build/bundle-url.mjs'],
};

/** Small. What its stack traces say of the source is looked up in the map beside it. */
const quickToStart = {
  ...shared,
  minifyWhitespace: true,
  minifySyntax: true,
  minifyIdentifiers: true,
  sourcemap: 'external',
  sourcesContent: false,
  lineLimit: 160,
  // The loader for `import()` would be started for it.
  supported: { 'dynamic-import': false },
  // All that is asked of it is `createRequire`, which takes a path as well.
  define: { 'import.meta.url': '__filename' },
  inject: [],
};

/** Compiled by the entry itself, as it stands. */
const startedByTheEntry = {
  ...quickToStart,
  banner: { js: '(function (exports, require, module, __filename, __dirname) {' },
  footer: { js: '})' },
};

// Built aside and swapped in, so that a running test never meets a half-written bundle.
const fresh = `${out}.new-${process.pid}`;
mkdirSync(fresh, { recursive: true });
try {
  writeFileSync(`${fresh}/package.json`, `${JSON.stringify({ type: 'commonjs' })}\n`);
  // Compiled anew at every start, so it holds what each of them runs and nothing else.
  await build({
    ...quickToStart,
    entryPoints: { cli: 'src/start.ts' },
    outdir: fresh,
    sourcemap: false,
    plugins: [staysOutside],
  });
  await build({
    ...shared,
    entryPoints: { 'own-cache': 'src/runtime/start/own-cache.ts' },
    outdir: fresh,
  });
  await build({ ...shared, entryPoints: { commands: 'src/cli.ts' }, outdir: fresh, plugins: [staysOutside] });
  await build({ ...shared, entryPoints: commands, outdir: `${fresh}/runtime` });
  const parts = { alone: new Map(), sharing: new Map() };
  const { inputs, options } = await withSharedModules(
    {
      ...startedByTheEntry,
      entryPoints: ['src/runtime/tick.ts'],
      outdir: fresh,
      plugins: [lazyBuiltins, ownParts(parts)],
    },
    parts,
  );
  await build(options);
  for (const [name, source] of parts.sharing) {
    const outfile = `${fresh}/tick.${name}.js`;
    const plugins = [lazyBuiltins, leftToTheBundle(inputs)];
    await build({ ...startedByTheEntry, entryPoints: [source], outfile, plugins });
  }
  await build({ ...shared, entryPoints: Object.fromEntries(parts.alone), outdir: `${fresh}/parts` });
  cpSync('src/investigate/page', `${fresh}/page`, { recursive: true });
  await writeCodeCache(fresh);
  rmSync(out, { recursive: true, force: true });
  renameSync(fresh, out);
} finally {
  rmSync(fresh, { recursive: true, force: true });
}
