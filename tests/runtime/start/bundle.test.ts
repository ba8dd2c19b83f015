import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { processIo } from '../../../src/runtime/shared/command.js';
import { loadBundle } from '../../../src/runtime/start/bundle.js';
import { tempDir } from '../../support/temp-dir.js';

const load = createRequire(import.meta.url);

/** A bundle as the build writes it, whose command resolves to the given code. */
function bundleText(code: number): string {
  return `(function (exports, require, module, __filename, __dirname) {
    exports.run = async () => { require('node:path'); return ${code}; };
  })`;
}

function written(code: number): { readonly path: string; readonly cache: string } {
  const directory = tempDir();
  const path = join(directory, 'tick.js');
  writeFileSync(path, bundleText(code));
  return { path, cache: join(directory, 'tick.v8cache') };
}

const runOf = (bundle: ReturnType<typeof loadBundle>) => bundle.exports.run?.([], processIo());

describe('a bundle', () => {
  it('runs as it is without compiled code', async () => {
    const { path, cache } = written(7);
    const bundle = loadBundle(path, load, [() => cache, () => undefined]);
    expect(bundle.cache).toBeUndefined();
    expect(await runOf(bundle)).toBe(7);
  });

  it('takes the code that was compiled of it', async () => {
    const { path, cache } = written(7);
    const first = loadBundle(path, load, []);
    await runOf(first);
    writeFileSync(cache, first.compiled());
    const again = loadBundle(path, load, [() => cache]);
    expect(again.cache).toBe(cache);
    expect(await runOf(again)).toBe(7);
  });

  it.each([
    ['that is empty', 1, () => Buffer.alloc(0)],
    [
      'that is something else',
      2,
      () => Buffer.from('no code at all, but long enough to be read as a header of something'),
    ],
    ['that is cut', 3, (whole: Buffer) => whole.subarray(0, whole.length / 2)],
    ['of another version', 4, (whole: Buffer) => Buffer.concat([Buffer.alloc(16, 1), whole.subarray(16)])],
  ])('refuses code %s and runs all the same', async (_what, code, spoil) => {
    const { path, cache } = written(7);
    writeFileSync(cache, spoil(loadBundle(path, load, []).compiled()));
    // Another source of the same length: what V8 still has in memory of the first must not hide the refusal.
    writeFileSync(path, bundleText(code));
    const bundle = loadBundle(path, load, [() => cache]);
    expect(bundle.cache).toBeUndefined();
    expect(await runOf(bundle)).toBe(code);
  });

  it('refuses the code of a source of another length', async () => {
    const { path, cache } = written(7);
    writeFileSync(cache, loadBundle(path, load, []).compiled());
    writeFileSync(path, bundleText(4711));
    const bundle = loadBundle(path, load, [() => cache]);
    expect(bundle.cache).toBeUndefined();
    expect(await runOf(bundle)).toBe(4711);
  });

  it('asks for the next cache only when the one before is refused', () => {
    const { path, cache } = written(7);
    const whole = loadBundle(path, load, []).compiled();
    writeFileSync(cache, whole);
    const asked: string[] = [];
    const place = (name: string, where: string) => () => {
      asked.push(name);
      return where;
    };
    loadBundle(path, load, [place('first', cache), place('second', cache)]);
    expect(asked).toEqual(['first']);
    loadBundle(path, load, [place('missing', `${cache}.no`), place('second', cache)]);
    expect(asked).toEqual(['first', 'missing', 'second']);
  });
});
