import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import { processIo } from '../../../src/runtime/shared/command.js';
import { loadBundle } from '../../../src/runtime/start/bundle.js';
import { tempDir } from '../../support/temp-dir.js';

const find = createRequire(import.meta.url);
const compile = () => vi.fn((source: string, filename: string) => new Script(source, { filename }));

/** A bundle as the build writes it, whose command resolves to the given code. */
function bundleText(code: number): string {
  return `(function (exports, require, module, __filename, __dirname) {
    exports.run = async () => { require('node:path'); return ${code}; };
  })`;
}

function written(code: number): { readonly path: string; readonly cache: string } {
  const path = join(tempDir(), 'tick.js');
  writeFileSync(path, bundleText(code));
  return { path, cache: `${path}.v8cache` };
}

const runOf = (bundle: ReturnType<typeof loadBundle>) => bundle.exports.run?.([], processIo());

describe('a bundle', () => {
  it('is compiled where nothing was', async () => {
    const { path } = written(7);
    const anew = compile();
    const bundle = loadBundle(path, find, anew);
    expect(anew).toHaveBeenCalledExactlyOnceWith(bundleText(7), 'tick.js');
    expect(await runOf(bundle)).toBe(7);
  });

  it('takes the code that was compiled of it', async () => {
    const { path, cache } = written(7);
    const first = loadBundle(path, find, compile());
    await runOf(first);
    writeFileSync(cache, first.script.createCachedData());
    const anew = compile();
    const again = loadBundle(path, find, anew);
    expect(anew).not.toHaveBeenCalled();
    expect(again.script.cachedDataRejected).toBe(false);
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
    writeFileSync(cache, spoil(loadBundle(path, find, compile()).script.createCachedData()));
    // Another source of the same length: what V8 still has in memory of the first must not hide the refusal.
    writeFileSync(path, bundleText(code));
    const anew = compile();
    const bundle = loadBundle(path, find, anew);
    expect(anew).toHaveBeenCalledOnce();
    expect(await runOf(bundle)).toBe(code);
  });

  it('refuses the code of a source of another length', async () => {
    const { path, cache } = written(7);
    writeFileSync(cache, loadBundle(path, find, compile()).script.createCachedData());
    writeFileSync(path, bundleText(4711));
    const anew = compile();
    expect(await runOf(loadBundle(path, find, anew))).toBe(4711);
    expect(anew).toHaveBeenCalledOnce();
  });
});
