#!/usr/bin/env node
// Writes every file that is made from others: schemas, types, validators, documentation.
// With --check it writes nothing and fails with a list of the files that are not current.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandsPage } from './generate/commands-page.mjs';
import { configSchema } from './generate/config-schema.mjs';
import { configurationPage } from './generate/configuration-page.mjs';
import { loadSource } from './generate/load-source.mjs';
import { rulePages } from './generate/rule-pages.mjs';
import { readSchemas } from './generate/schemas.mjs';
import { wireTypes } from './generate/types.mjs';
import { validators } from './generate/validators.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const GENERATED = 'src/reactor/generated';
process.chdir(ROOT);

const isCheck = process.argv.includes('--check');
const read = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : '');

/** Path to content of every generated file. */
async function files() {
  const source = await loadSource();
  const schemas = readSchemas();
  return new Map([
    ['schemas/config.schema.json', configSchema(source)],
    [`${GENERATED}/wire-types.ts`, await wireTypes(schemas)],
    ...(await validators(schemas, GENERATED)),
    ...rulePages(source, read),
    ['docs/configuration.md', configurationPage(source, read('docs/configuration.md'))],
    ['docs/commands.md', await commandsPage(read('docs/commands.md'))],
  ]);
}

/** Files that nothing makes any more: types and validators of another time, pages of rules that are gone. */
function orphans(current) {
  return [GENERATED, 'docs/rules']
    .filter((directory) => existsSync(directory))
    .flatMap((directory) => readdirSync(directory).map((name) => join(directory, name)))
    .filter((path) => !current.has(path));
}

const current = await files();
const stale = [...current].filter(([path, content]) => read(path) !== content);
const left = orphans(current);

if (isCheck) {
  const lines = [
    ...stale.map(([path]) => `${path} is not current`),
    ...left.map((path) => `${path} belongs to nothing`),
  ];
  for (const line of lines) console.error(line);
  if (lines.length > 0) {
    console.error('run `npm run generate`, remove what belongs to nothing, and commit the result');
    process.exitCode = 1;
  }
} else {
  for (const [path, content] of stale) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    console.log(`wrote ${path}`);
  }
  for (const path of left) console.error(`${path} belongs to nothing; remove it`);
}
