import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listDirectory } from '../../../src/sources/tools/list-directory.js';
import { mayHang, mountOf, mountsOf } from '../../../src/sources/tools/mounts.js';
import { isInside } from '../../../src/sources/tools/paths.js';
import { readFileBounded, readTextBounded } from '../../../src/sources/tools/read-file.js';
import { readJsonObject } from '../../../src/sources/tools/read-json.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'robustness-files-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const at = (...parts: string[]) => join(root, ...parts);

describe('reading a file', () => {
  it('is bounded: refused, or from the start, or from the end', () => {
    writeFileSync(at('f'), 'abcdefgh');
    expect(readTextBounded(at('f'), { maxBytes: 8 })).toMatchObject({
      ok: true,
      text: 'abcdefgh',
      offset: 0,
      size: 8,
    });
    expect(readFileBounded(at('f'), { maxBytes: 7 })).toMatchObject({
      ok: false,
      reason: 'too_large',
      size: 8,
    });
    expect(readTextBounded(at('f'), { maxBytes: 3, oversize: 'head' })).toMatchObject({
      text: 'abc',
      offset: 0,
    });
    expect(readTextBounded(at('f'), { maxBytes: 3, oversize: 'tail' })).toMatchObject({
      text: 'fgh',
      offset: 5,
    });
  });

  it('never waits for a pipe, nor takes a directory or a device for a file', () => {
    execFileSync('mkfifo', [at('p')]);
    mkdirSync(at('d'));
    expect(readFileBounded(at('p'), { maxBytes: 9 })).toMatchObject({ ok: false, reason: 'not_regular' });
    expect(readFileBounded(at('d'), { maxBytes: 9 })).toMatchObject({ ok: false, reason: 'not_regular' });
    expect(readFileBounded('/dev/null', { maxBytes: 9 })).toMatchObject({ ok: false, reason: 'not_regular' });
    expect(readFileBounded(at('none'), { maxBytes: 9 })).toMatchObject({ ok: false, reason: 'missing' });
  });

  it('follows a final link only inside the given directory', () => {
    mkdirSync(at('s'));
    writeFileSync(at('s', 'inner'), 'in');
    writeFileSync(at('outer'), 'out');
    symlinkSync(at('s', 'inner'), at('s', 'good'));
    symlinkSync(at('outer'), at('s', 'bad'));
    symlinkSync(at('s', 'gone'), at('s', 'dangling'));
    const limits = { maxBytes: 9, root: at('s') };
    expect(readTextBounded(at('s', 'good'), limits)).toMatchObject({ text: 'in' });
    expect(readTextBounded(at('s', 'good'), { maxBytes: 9 })).toMatchObject({ reason: 'outside' });
    expect(readTextBounded(at('s', 'bad'), limits)).toMatchObject({ reason: 'outside' });
    expect(readTextBounded(at('s', 'dangling'), limits)).toMatchObject({ reason: 'missing' });
  });

  it('of JSON tells corrupt from absent', () => {
    writeFileSync(at('a'), '\ufeff{"gain": NaN, "x": 1}');
    writeFileSync(at('b'), '[1]');
    writeFileSync(at('c'), '{"torn');
    expect(readJsonObject(at('a'), { maxBytes: 99 })).toMatchObject({ ok: true, value: { x: 1 } });
    expect(readJsonObject(at('b'), { maxBytes: 99 })).toMatchObject({
      ok: false,
      reason: 'corrupt',
      size: 3,
    });
    expect(readJsonObject(at('c'), { maxBytes: 99 })).toMatchObject({ ok: false, reason: 'corrupt' });
    expect(readJsonObject(at('d'), { maxBytes: 99 })).toMatchObject({ ok: false, reason: 'missing' });
  });
});

describe('listing a directory', () => {
  it('is bounded and says so', () => {
    for (let i = 0; i < 5; i += 1) writeFileSync(at(`f${i}`), '');
    expect(listDirectory(root, 3)).toMatchObject({ ok: true, truncated: true });
    expect(listDirectory(root, 5)).toMatchObject({ ok: true, truncated: false });
    expect(listDirectory(at('none'))).toMatchObject({ ok: false, reason: 'missing' });
    expect(listDirectory(at('f1'))).toMatchObject({ ok: false, reason: 'missing' });
  });
});

describe('paths and mounts', () => {
  it.each([
    ['/s/sess', '/s/sess', true],
    ['/s/sess/runs', '/s/sess', true],
    ['/s/sess-retry', '/s/sess', false],
    ['/s/sess/../other', '/s/sess', false],
    ['/x', '/', true],
  ])('%s inside %s: %s', (path, directory, expected) => {
    expect(isInside(path, directory)).toBe(expected);
  });

  it('are found by the text of the path alone', () => {
    mkdirSync(at('self'));
    writeFileSync(
      at('self', 'mountinfo'),
      [
        '1 0 8:1 / / rw - ext4 /dev/sda1 rw',
        '2 1 0:40 / /mnt/with\\040blank rw - nfs4 server:/x rw,vers=4.2',
        '3 1 0:41 / /mnt rw - tmpfs tmpfs rw',
        '4 1 0:42 / /fuse rw - fuse.bindfs x rw',
        'odd line',
      ].join('\n'),
    );
    const mounts = mountsOf(root);
    expect(mounts).toHaveLength(4);
    expect(mountOf('/mnt/with blank/a', mounts)).toMatchObject({ fsType: 'nfs4', device: '0:40' });
    expect(mountOf('/mnt/without', mounts)).toMatchObject({ fsType: 'tmpfs' });
    expect(mounts.map(mayHang)).toEqual([false, true, false, true]);
    expect(mountsOf(at('none'))).toEqual([]);
  });
});
