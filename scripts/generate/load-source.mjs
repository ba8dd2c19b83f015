import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const ENTRY = `
export { ladderFields } from './src/decision/ladder/config.ts';
export { rcaFields } from './src/decision/rca/config.ts';
export { investigateFields } from './src/foreign/investigate-fields.ts';
export { agentFields, variablesOf } from './src/reactor/config/fields.ts';
export { expectation } from './src/reactor/config/field-value.ts';
export { reactorFields } from './src/reactor/config/own-fields.ts';
export { spoolFields } from './src/reactor/config/spool-fields.ts';
export { RULES } from './src/signals/registry.ts';
export { sourcesFields } from './src/sources/config.ts';
`;

/** Where bundles are put: below the repository, so that its dependencies are found from there. */
const CACHE = 'node_modules/.cache';

/** Bundles a module into a temporary file, hands its path to `use`, and removes it. */
export async function withBundle(options, extension, use) {
  mkdirSync(CACHE, { recursive: true });
  const outfile = resolve(
    CACHE,
    `generate-${process.pid}-${Math.random().toString(36).slice(2)}${extension}`,
  );
  const { outputFiles } = await build({
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    write: false,
    logLevel: 'warning',
    ...options,
  });
  try {
    writeFileSync(outfile, outputFiles[0].text);
    return await use(outfile);
  } finally {
    rmSync(outfile, { force: true });
  }
}

/** What the documentation and the schema of the settings are made from. */
export function loadSource() {
  const stdin = { contents: ENTRY, resolveDir: '.', loader: 'ts' };
  return withBundle({ stdin, format: 'esm' }, '.mjs', (path) => import(pathToFileURL(path).href));
}
