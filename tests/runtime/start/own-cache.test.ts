import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compileAgain, keepCompiled, keepFresh, ownCachePath } from '../../../src/runtime/start/own-cache.js';
import { tempDir } from '../../support/temp-dir.js';

describe('the place of compiled code', () => {
  it('is below the cache directory, or that of the home', () => {
    expect(ownCachePath('x', { XDG_CACHE_HOME: '/c', HOME: '/h' })).toMatch(
      /^\/c\/robustness-agent\/.+\.v8cache$/,
    );
    expect(ownCachePath('x', { HOME: '/h' })).toMatch(/^\/h\/\.cache\/robustness-agent\/.+\.v8cache$/);
  });

  it('differs for every source, also of the same length', () => {
    const env = { HOME: '/h' };
    expect(ownCachePath('a', env)).not.toBe(ownCachePath('b', env));
  });

  it.each([{}, { HOME: '' }, { XDG_CACHE_HOME: 'relative' }])('is nowhere without a home: %j', (env) => {
    expect(ownCachePath('x', env)).toBeUndefined();
  });

  it.each([0o770, 0o707, 0o777])('is not where others may write: %s', (mode) => {
    const root = tempDir();
    mkdirSync(join(root, 'robustness-agent'));
    chmodSync(join(root, 'robustness-agent'), mode);
    expect(ownCachePath('x', { XDG_CACHE_HOME: root })).toBeUndefined();
  });
});

describe('compiled code', () => {
  it('is kept for its owner alone', () => {
    const path = join(tempDir(), 'robustness-agent', 'a.v8cache');
    keepCompiled(path, Buffer.from('code'));
    expect(readFileSync(path, 'utf8')).toBe('code');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  });

  it('of few programs is kept, the newest', () => {
    const directory = tempDir();
    for (const [at, name] of [...'abcdefghij'].entries()) {
      writeFileSync(join(directory, name), '');
      utimesSync(join(directory, name), 1000 + at, 1000 + at);
    }
    keepCompiled(join(directory, 'k'), Buffer.from('code'));
    expect(readdirSync(directory).sort()).toEqual([...'defghijk']);
  });

  it('that cannot be kept is no failure', () => {
    const root = tempDir();
    writeFileSync(join(root, 'file'), '');
    keepCompiled(join(root, 'file', 'a.v8cache'), Buffer.from('code'));
    expect(existsSync(join(root, 'file', 'a.v8cache'))).toBe(false);
  });
});

describe('a bundle without compiled code', () => {
  const source = '(function () { return 7; })';

  it('is compiled, kept at the end, and taken from there the next time', () => {
    const env = { XDG_CACHE_HOME: tempDir() };
    const directory = join(env.XDG_CACHE_HOME, 'robustness-agent');
    expect(compileAgain(source, 'tick.js', env).runInThisContext()()).toBe(7);
    expect(existsSync(directory)).toBe(false);
    keepFresh();
    const kept = readdirSync(directory);
    expect(kept).toHaveLength(1);
    expect(compileAgain(source, 'tick.js', env).cachedDataRejected).toBe(false);
    for (const name of kept) utimesSync(join(directory, name), 1000, 1000);
    keepFresh();
    expect(readdirSync(directory).map((name) => statSync(join(directory, name)).mtimeMs)).toEqual([
      1_000_000,
    ]);
  });

  it('is compiled where no place for it is', () => {
    expect(compileAgain(source, 'tick.js', {}).runInThisContext()()).toBe(7);
    keepFresh();
  });
});
