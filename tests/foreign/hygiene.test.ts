import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cleanEvidence,
  cleanText,
  cutCodePoints,
  EVIDENCE_BYTES,
  outgoingEvidence,
  outgoingLine,
  outgoingText,
  wellFormed,
} from '../../src/foreign/hygiene.js';

const anyText = fc.string({ unit: 'binary' }).map((text) => `${text}\ud800\u2028`);

describe('cutCodePoints', () => {
  it('counts code points and never halves a pair', () => {
    expect(cutCodePoints('a😀b', 2)).toBe('a😀');
    expect(cutCodePoints('😀😀', 1)).toBe('😀');
    expect(cutCodePoints('abc', 3)).toBe('abc');
    expect(cutCodePoints('abc', 0)).toBe('');
  });

  it('gives the first code points of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(30), (text, max) => {
        expect(cutCodePoints(text, max)).toBe([...text].slice(0, max).join(''));
      }),
    );
  });
});

describe('cleanText', () => {
  it('removes controls, separators and bidirectional marks, keeps TAB, LF and CR', () => {
    expect(cleanText('a\u0000b\tc\nd\re\u0085f\u2028g\u202eh\u2066i', 100)).toBe('ab\tc\nd\refghi');
  });

  it('replaces lone surrogates and keeps pairs', () => {
    expect(cleanText('x\ud800y😀z\udc00', 100)).toBe('x\ufffdy😀z\ufffd');
  });

  it('repairs a pair that the removal of a control character would not make', () => {
    expect(wellFormed(cleanText('\ud83d\u0000\ude00', 10))).toBe(cleanText('\ud83d\u0000\ude00', 10));
  });
});

describe('outgoing text', () => {
  it('blanks what could break a line or a terminal', () => {
    expect(outgoingText('a\nb\tc\u001b[1md\re\u2029f')).toBe('a\nb\tc [1md e f');
    expect(outgoingLine('a\nb\tc\u0085d')).toBe('a b c d');
  });
});

describe('cleanEvidence', () => {
  it('passes small evidence as it is', () => {
    const evidence = { count: 3, ratio: 0.5, names: ['a', null, true], inner: { x: 'y' } };
    expect(cleanEvidence(evidence)).toEqual(evidence);
  });

  it('makes an object of anything', () => {
    for (const odd of [null, undefined, 5, 'x', [1], true]) expect(cleanEvidence(odd)).toEqual({});
  });

  it('turns what JSON cannot carry into null', () => {
    expect(cleanEvidence({ a: Number.NaN, b: Infinity, c: undefined, d: () => 1, e: 1n })).toEqual({
      a: null,
      b: null,
      d: null,
      e: null,
    });
  });

  it('marks what it cuts at the top', () => {
    expect(cleanEvidence({ list: Array.from({ length: 51 }, (_, i) => i) })).toMatchObject({
      _truncated: true,
    });
    expect(cleanEvidence({ text: 'x'.repeat(2001) })).toEqual({ text: 'x'.repeat(2000), _truncated: true });
    expect(cleanEvidence({ text: 'x'.repeat(2000) })).toEqual({ text: 'x'.repeat(2000) });
    const wide = Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, i]));
    expect(Object.keys(cleanEvidence(wide))).toHaveLength(51);
    expect(cleanEvidence(wide)).toMatchObject({ _truncated: true, k49: 49 });
  });

  it('ends at eight levels', () => {
    const nest = (levels: number): object => (levels === 1 ? { end: 1 } : { in: nest(levels - 1) });
    expect(cleanEvidence(nest(8))).toEqual(nest(8));
    expect(JSON.stringify(cleanEvidence(nest(9)))).toBe(
      `${'{"in":'.repeat(8)}null${'}'.repeat(7)},"_truncated":true}`,
    );
  });

  it('keeps a key named __proto__ as data', () => {
    const cleaned = cleanEvidence(JSON.parse('{"__proto__": {"polluted": true}}'));
    expect(JSON.stringify(cleaned)).toBe('{"__proto__":{"polluted":true}}');
  });

  it('survives a tree as wide as the limits allow', () => {
    const leaf = Array.from({ length: 50 }, () => 'x');
    const tree = Array.from({ length: 50 }, () => Array.from({ length: 50 }, () => leaf));
    expect(cleanEvidence({ tree: Array.from({ length: 50 }, () => tree) })).toMatchObject({
      _truncated: true,
    });
  });
});

describe('outgoingEvidence', () => {
  it('drops the largest values first until 32 KiB hold it', () => {
    const big = Array.from({ length: 20 }, () => 'y'.repeat(1900));
    const evidence = { small: 1, big, medium: 'z'.repeat(1500), lines: ['w'.repeat(1900)] };
    expect(outgoingEvidence(evidence)).toEqual({
      small: 1,
      medium: 'z'.repeat(1500),
      lines: ['w'.repeat(1900)],
      truncated: true,
    });
  });

  it('is always valid, bounded and stable', () => {
    fc.assert(
      fc.property(fc.dictionary(anyText, fc.oneof(fc.jsonValue({ maxDepth: 5 }), anyText)), (value) => {
        const once = outgoingEvidence(value);
        const json = JSON.stringify(once);
        expect(Buffer.byteLength(json)).toBeLessThanOrEqual(EVIDENCE_BYTES);
        expect(json).toBe(JSON.stringify(JSON.parse(json)));
        expect(/[\u0085\u2028\u2029]|\\u00[01](?![9aA])|\\ud[89a-f]/.test(json)).toBe(false);
        expect(outgoingEvidence(once)).toEqual(once);
      }),
    );
  });

  it('masks credentials wherever they are', () => {
    const redact = (text: string) => text.replaceAll('hush', '[redacted]');
    expect(outgoingEvidence({ a: ['x hush'], b: { hush: 1 } }, redact)).toEqual({
      a: ['x [redacted]'],
      b: { '[redacted]': 1 },
    });
  });
});
