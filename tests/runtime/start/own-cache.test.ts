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
import { keepCompiled, ownCachePath } from '../../../src/runtime/start/own-cache.js';
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
    for (const [at, name] of ['a', 'b', 'c', 'd', 'e', 'f'].entries()) {
      writeFileSync(join(directory, name), '');
      utimesSync(join(directory, name), 1000 + at, 1000 + at);
    }
    keepCompiled(join(directory, 'g'), Buffer.from('code'));
    expect(readdirSync(directory).sort()).toEqual(['d', 'e', 'f', 'g']);
  });

  it('that cannot be kept is no failure', () => {
    const root = tempDir();
    writeFileSync(join(root, 'file'), '');
    keepCompiled(join(root, 'file', 'a.v8cache'), Buffer.from('code'));
    expect(existsSync(join(root, 'file', 'a.v8cache'))).toBe(false);
  });
});
