import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TEMPORARY_MARK } from '../../../src/foreign/write-file.js';
import { dropStaleTemporaries, loadState, saveState } from '../../../src/reactor/store/state-file.js';
import { tempDir } from '../../support/temp-dir.js';

describe('the detector state', () => {
  it('comes back as it was saved, with its layout version and writer', () => {
    const path = join(tempDir(), 'deep', 'detector_state.json');
    expect(saveState(path, { gpu_leak: { consecutive_hits: 2 } }, 1000, 'test')).toBeUndefined();
    expect(loadState(path, 1001)).toEqual({
      slots: { gpu_leak: { consecutive_hits: 2 }, _meta: { schema: 1, writer: 'test', saved_unix: 1000 } },
    });
  });

  it('is written with sorted keys, in ASCII, with a final newline', () => {
    const path = join(tempDir(), 'detector_state.json');
    saveState(path, { b: { z: 1, a: 'é\u2028' }, a: {} }, 1, 'test');
    const text = readFileSync(path, 'utf8');
    expect(text).toMatch(/^[\x20-\x7e\n]*\n$/);
    expect(text.indexOf('"_meta"')).toBeLessThan(text.indexOf('"a"'));
    expect(text.indexOf('"a": "\\u00e9\\u2028"')).toBeLessThan(text.indexOf('"z"'));
  });

  it('is empty without a file, and nobody is told', () => {
    expect(loadState(join(tempDir(), 'none.json'), 1)).toEqual({ slots: {} });
  });

  it.each([
    ['malformed JSON', Buffer.from('{"a": ')],
    ['invalid UTF-8', Buffer.from([0xff, 0xfe, 0x00])],
    ['no object', Buffer.from('[1, 2]')],
    ['nesting without end', Buffer.from('['.repeat(200_000))],
  ])('with %s is moved aside and counts as empty', (_, content) => {
    const directory = tempDir();
    const path = join(directory, 'detector_state.json');
    writeFileSync(path, content);
    const loaded = loadState(path, 1234.9);
    expect(loaded.slots).toEqual({});
    expect(loaded.problem).toContain('detector_state.json.corrupt-1234');
    expect(readdirSync(directory)).toEqual(['detector_state.json.corrupt-1234']);
  });

  it('keeps the three newest corrupt files', () => {
    const directory = tempDir();
    const path = join(directory, 'detector_state.json');
    for (const now of [8, 9, 10, 11, 12]) {
      writeFileSync(path, 'x');
      loadState(path, now);
    }
    expect(readdirSync(directory).sort()).toEqual([
      'detector_state.json.corrupt-10',
      'detector_state.json.corrupt-11',
      'detector_state.json.corrupt-12',
    ]);
  });

  it('drops slots that are no objects and keeps unknown ones', () => {
    const path = join(tempDir(), 'detector_state.json');
    writeFileSync(path, '{"a": 1, "b": [], "later": {"x": 1}}');
    expect(loadState(path, 1).slots).toEqual({ later: { x: 1 } });
  });

  it('does not wait for a FIFO in its place', () => {
    const path = join(tempDir(), 'detector_state.json');
    execFileSync('mkfifo', [path]);
    expect(loadState(path, 1).problem).toContain('not_regular');
    expect(statSync(path).isFIFO()).toBe(true);
  });

  it('says why it could not be saved', () => {
    const directory = tempDir();
    mkdirSync(join(directory, 'detector_state.json'));
    expect(saveState(join(directory, 'detector_state.json'), {}, 1, 'test')?.code).toMatch(
      /EISDIR|ENOTEMPTY|EEXIST/,
    );
    expect(readdirSync(directory)).toEqual(['detector_state.json']);
  });
});

describe('temporary files of killed writers', () => {
  it('go, those of living ones and others stay', () => {
    const directory = tempDir();
    const dead = spawnedPid();
    for (const name of [`.a${TEMPORARY_MARK}${dead}`, `.a${TEMPORARY_MARK}${process.pid}`, 'findings']) {
      writeFileSync(join(directory, name), '');
    }
    symlinkSync('/nonexistent', join(directory, 'link'));
    dropStaleTemporaries(directory);
    expect(readdirSync(directory).sort()).toEqual([`.a${TEMPORARY_MARK}${process.pid}`, 'findings', 'link']);
  });
});

/** The pid of a process that has ended. */
function spawnedPid(): number {
  return Number(execFileSync(process.execPath, ['-e', 'console.log(process.pid)'], { encoding: 'utf8' }));
}
