import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileId, findingsPath } from '../../../src/reactor/store/paths.js';
import { tempDir } from '../../support/temp-dir.js';

describe('a session id as a file name', () => {
  it.each([
    ['qx-14b-mi300x-07', 'qx-14b-mi300x-07'],
    ['Sitzung ä', 'Sitzung ä'],
    ['a/b', 'a_b'],
    ['../../x', '.._.._x'],
    ['..', '_..'],
    ['.', '_.'],
    ['a\nb\u2028c', 'a_b_c'],
    ['', 'default'],
  ])('%j is %j', (id, name) => {
    expect(fileId(id)).toBe(name);
  });

  it('never leaves the findings directory and never exceeds 200 bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (id) => {
        const path = findingsPath('/s', id);
        expect(join(path)).toBe(path);
        expect(path.startsWith('/s/agents/robustness/findings/')).toBe(true);
        expect(path.split('/')).toHaveLength(6);
        expect(Buffer.byteLength(fileId(id))).toBeLessThanOrEqual(200);
      }),
    );
  });

  it('maps the name of a real directory to itself', () => {
    const directory = tempDir();
    for (const name of ['ü x', '2026-01-01T00:00:00Z-ab', '…', 'a:b*c?']) mkdirSync(join(directory, name));
    for (const name of readdirSync(directory)) expect(fileId(name)).toBe(name);
  });
});
