import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/foreign/json.js';
import { payloadHash } from '../../../../src/signals/rules/event/payload-hash.js';

describe('payloadHash', () => {
  it.each([
    ['x=1', 'explore', { x: 1 }, '28ffa66f92415ba60949e230a5c73fccfc7f2630'],
    ['empty params', 'explore', {}, '9e421081699bdce3de602dd23d345df3671de509'],
    [
      'nested values and escapes',
      'sweep',
      { n: [1, 2.5, true, null, 'é'], z: { b: 1, a: 'q"\n' } },
      'e802bf78bb850f73e9dcd5cf54d3635874d60736',
    ],
  ])('agrees with the vector of %s', (_what, action, params, expected) => {
    expect(payloadHash(action, params)).toBe(expected);
  });

  it('does not depend on the order of keys, but on their values', () => {
    expect(payloadHash('a', { x: 1, y: { p: 1, q: 2 } })).toBe(payloadHash('a', { y: { q: 2, p: 1 }, x: 1 }));
    expect(payloadHash('a', { x: 1 })).not.toBe(payloadHash('a', { x: '1' }));
  });

  it('hashes numbers by value: -0 is 0', () => {
    expect(payloadHash('a', { x: -0 })).toBe(payloadHash('a', { x: 0 }));
  });

  it('refuses what is nested too deeply', () => {
    expect(payloadHash('a', nested(64))).toBeDefined();
    expect(payloadHash('a', nested(65))).toBeUndefined();
  });
});

function nested(levels: number): JsonObject {
  let value: JsonObject = {};
  for (let i = 1; i < levels; i += 1) value = { v: value };
  return value;
}
