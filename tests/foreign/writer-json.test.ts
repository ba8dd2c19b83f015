import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseWriterJson } from '../../src/foreign/writer-json.js';

const parsed = (source: string) => {
  const result = parseWriterJson(source);
  return result.ok ? result.value : 'refused';
};

describe('JSON as Python writes it', () => {
  it('reads the three tokens outside strings as absent', () => {
    expect(parsed('{"a": NaN, "b": [1, -Infinity, Infinity], "c": "NaN \\" Infinity", "d": 1}')).toEqual({
      b: [1, null, null],
      c: 'NaN " Infinity',
      d: 1,
    });
    expect(parsed('NaN')).toBeNull();
  });

  it('reads a number that overflows as absent', () => {
    expect(parsed('{"a": 1e999, "b": 1e5}')).toEqual({ b: 1e5 });
  });

  it('skips a byte order mark', () => {
    expect(parsed('\ufeff[1]')).toEqual([1]);
  });

  it('refuses what is no JSON, and what is nested too deeply', () => {
    for (const bad of ['', ' ', '{', '{"a": Nan}', "{'a': 1}", '[1,]', '"open', 'NaNs']) {
      expect(parseWriterJson(bad).ok).toBe(false);
    }
    expect(parseWriterJson('['.repeat(300_000)).ok).toBe(false);
    expect(parseWriterJson(`${'['.repeat(201)}${']'.repeat(201)}`).ok).toBe(false);
    expect(parseWriterJson(`${'['.repeat(200)}${']'.repeat(200)}`).ok).toBe(true);
    expect(parsed(`"${'['.repeat(500)}"`)).toBe('['.repeat(500));
  });

  it('agrees with the strict parser on strict JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const source = JSON.stringify(value);
        expect(parsed(source)).toEqual(JSON.parse(source));
      }),
    );
  });

  it('never throws', () => {
    fc.assert(fc.property(fc.string(), (source) => void parseWriterJson(source)));
  });
});
