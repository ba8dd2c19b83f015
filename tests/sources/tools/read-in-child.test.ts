import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readInChild } from '../../../src/sources/tools/read-in-child.js';
import { temporaryDirectory, writeTree } from '../support/tree.js';

const read = (paths: readonly string[], timeoutMs = 5000) =>
  readInChild(paths, { env: {}, timeoutMs, signal: new AbortController().signal });

describe('files read in a child', () => {
  it('are delivered by path, whatever they hold', async () => {
    const root = writeTree(temporaryDirectory(), {
      one: '42\n',
      'two:three': 'a: b\n/etc/passwd:x\n\nlast',
      nul: 'A=1\0B=2',
      empty: '',
      'a directory/': '',
    });
    const paths = ['one', 'two:three', 'nul', 'empty', 'gone', 'a directory'].map((name) => join(root, name));
    expect([...(await read(paths))]).toEqual([
      [join(root, 'one'), '42'],
      [join(root, 'two:three'), 'a: b\n/etc/passwd:x\n\nlast'],
      [join(root, 'nul'), 'A=1\0B=2'],
    ]);
  });

  it('that never end cost their limit, and not what was read before', async () => {
    const root = writeTree(temporaryDirectory(), { one: '1' });
    spawnSync('mkfifo', [join(root, 'fifo')]);
    const started = performance.now();
    const files = await read([join(root, 'one'), join(root, 'fifo')], 300);
    expect(performance.now() - started).toBeLessThan(1500);
    expect([...files.values()]).toEqual(['1']);
  });

  it('may be none', async () => {
    expect((await read([])).size).toBe(0);
  });
});
