import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/foreign/json.js';
import { canonicalJson } from '../../../src/signals/shared/canonical-json.js';

describe('canonical JSON', () => {
  it('sorts keys by code point, spaces items and escapes everything outside ASCII', () => {
    expect(canonicalJson({ z: 'é😀\n"/', '\uffff': 1, '😀': 2, a: [true, null] })).toBe(
      '{"a": [true, null], "z": "\\u00e9\\ud83d\\ude00\\n\\"/", "\\uffff": 1, "\\ud83d\\ude00": 2}',
    );
  });

  it('writes numbers by value', () => {
    expect(canonicalJson(JSON.parse('[1, 1.0, -0.0, 0.5, 1e-7, 1e16, 1e20]'))).toBe(
      '[1, 1, 0, 0.5, 1e-07, 1e+16, 1e+20]',
    );
    expect(canonicalJson(1)).not.toBe(canonicalJson(true));
  });

  it('reads back as the same value, whatever the order of keys', () => {
    const value = fc.jsonValue({ maxDepth: 4 });
    fc.assert(
      fc.property(value, (json) => {
        const text = canonicalJson(json as Json) ?? '';
        expect(text).toMatch(/^[\x20-\x7e]*$/);
        const reread: Json = JSON.parse(text);
        expect(canonicalJson(reread)).toBe(text);
      }),
    );
  });

  it('refuses what is nested too deeply', () => {
    let deep: Json = 0;
    for (let i = 0; i < 65; i += 1) deep = [deep];
    expect(canonicalJson(deep)).toBeDefined();
    expect(canonicalJson([deep])).toBeUndefined();
  });
});
