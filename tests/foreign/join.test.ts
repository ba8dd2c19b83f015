import { posix } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { join } from '../../src/foreign/join.js';

describe('joining paths', () => {
  it.each([
    [['/a', 'b', 'c.json']],
    [['/a/', '/b']],
    [['/a', '', 'b']],
    [['', '/a']],
    [['/a', '']],
    [['a/']],
    [['/a', '..', 'b']],
    [['/a/./b']],
    [['.', 'a']],
    [['./a']],
    [['..']],
    [['/a', '.hidden']],
    [['/']],
    [['/', 'a']],
    [['']],
    [[]],
  ])('%j is as Node has it', (parts) => {
    expect(join(...parts)).toBe(posix.join(...parts));
  });

  it('is as Node has it for any parts', () => {
    const piece = fc.constantFrom('/', '.', '..', 'a', 'bc', '', ' ', 'é', '...', '.x');
    const part = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
        expect(join(...parts)).toBe(posix.join(...parts));
      }),
      { numRuns: 5000 },
    );
  });
});
