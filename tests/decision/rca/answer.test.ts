import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAnswer, truncate } from '../../../src/decision/rca/answer.js';

describe('truncation (spec 05 B.11, B.13)', () => {
  it.each([
    ['abcdefghi', 8, 'abcde...'],
    ['abcde fghi', 9, 'abcde...'],
    ['abcdef', 3, '...'],
    ['abcdefgh', 8, 'abcdefgh'],
    ['abcdef', 2, '...'],
    ['😀😀😀😀', 4, '😀😀😀😀'],
    ['😀😀😀😀😀', 4, '😀...'],
  ])('%j to %i characters is %j', (text, limit, expected) => {
    expect(truncate(text, limit)).toBe(expected);
  });

  it('never gives more than it may', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 3, max: 40 }), (text, limit) => {
        expect([...truncate(text, limit)].length).toBeLessThanOrEqual(Math.max(limit, 3));
      }),
    );
  });
});

describe('an answer', () => {
  it.each<[string, { text: string; causeClass?: string }]>([
    ['The disk is full.', { text: 'The disk is full.' }],
    ['The disk is full.\ncause: resource_leak', { text: 'The disk is full.', causeClass: 'resource_leak' }],
    ['Full.\n\n  CAUSE :Resource_Leak \n\n', { text: 'Full.', causeClass: 'resource_leak' }],
    ['Full.\n**cause: `crash_loop`**', { text: 'Full.', causeClass: 'crash_loop' }],
    ['Full.\ncause: gremlins', { text: 'Full.' }],
    ['cause: crash_loop', { text: '', causeClass: 'crash_loop' }],
    ['The cause: crash_loop is not alone here.', { text: 'The cause: crash_loop is not alone here.' }],
    ['cause: a full disk, says df', { text: 'cause: a full disk, says df' }],
    ['cause: crash_loop\nand more', { text: 'cause: crash_loop\nand more' }],
    ['insufficient evidence', { text: '' }],
    ['"Insufficient evidence."', { text: '' }],
    [
      'insufficient evidence\ncause: insufficient_evidence',
      { text: '', causeClass: 'insufficient_evidence' },
    ],
    ['There is insufficient evidence for more.', { text: 'There is insufficient evidence for more.' }],
    ['a\u0007b\u2028c', { text: 'a b c' }],
    ['', { text: '' }],
  ])('%j becomes %j', (answer, expected) => {
    expect(readAnswer(answer, 1500)).toEqual(expected);
  });

  it('loses its class line before it is cut', () => {
    expect(readAnswer(`${'x'.repeat(30)}\ncause: crash_loop`, 20)).toEqual({
      text: `${'x'.repeat(17)}...`,
      causeClass: 'crash_loop',
    });
  });
});
