import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { asModule } from '../../support/as-module.js';
import { tempDir } from '../../support/temp-dir.js';

const SOURCE = `export function fails(depth: number): never {
  if (depth > 0) return fails(depth - 1);
  throw new Error('what went wrong');
}
`;

/** A built program of one bundle, whose names are cut short, with its map beside it. */
async function program(): Promise<string> {
  const root = tempDir();
  mkdirSync(join(root, 'src'));
  writeFileSync(join(root, 'src', 'fails.ts'), SOURCE);
  await build({
    entryPoints: [join(root, 'src', 'fails.ts')],
    outfile: join(root, 'dist', 'tick.js'),
    bundle: true,
    format: 'cjs',
    minify: true,
    sourcemap: 'external',
    banner: { js: '(function (module) {' },
    footer: { js: '})' },
  });
  return root;
}

/** The stack of what the bundle throws, in a process of its own. */
async function stackIn(root: string): Promise<string> {
  const places = await asModule('src/runtime/tick/source-places.ts');
  const script = `
    const { readFileSync } = require('node:fs');
    const { Script } = require('node:vm');
    require(${JSON.stringify(places)}).namePlaces(${JSON.stringify(join(root, 'dist'))});
    const source = readFileSync(${JSON.stringify(join(root, 'dist', 'tick.js'))}, 'latin1');
    const module = {};
    new Script(source, { filename: 'tick.js' }).runInThisContext()(module);
    try { module.exports.fails(1); } catch (error) { console.log(error.stack); }`;
  return spawnSync(process.execPath, ['-e', script]).stdout.toString();
}

describe('a stack trace of a bundle whose names are cut short', () => {
  it('names files and lines of the source', async () => {
    const [message, first, second] = (await stackIn(await program())).split('\n');
    expect(message).toBe('Error: what went wrong');
    expect(first).toBe('    at src/fails.ts:3:9');
    expect(second).toBe('    at src/fails.ts:2:25');
  });

  it('names those of the bundle where there is no map', async () => {
    const root = await program();
    rmSync(join(root, 'dist', 'tick.js.map'));
    const [message, first] = (await stackIn(root)).split('\n');
    expect(message).toBe('Error: what went wrong');
    expect(first).toMatch(/^ {4}at \S+ \(tick\.js:\d+:\d+\)$/);
  });

  it.each(['', 'no map', '{}', '{"mappings":7}'])('and where the map is %j', async (content) => {
    const root = await program();
    writeFileSync(join(root, 'dist', 'tick.js.map'), content);
    expect(await stackIn(root)).toMatch(/^Error: what went wrong\n {4}at \S+ \(tick\.js:\d+:\d+\)$/m);
  });
});
