import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePythonLiteral } from '../../src/foreign/python-literal.js';
import { pythonNumber, pythonRepr, pythonText } from '../../src/foreign/python-text.js';
import { isTruthy } from '../../src/foreign/python-truth.js';

describe('pythonNumber', () => {
  it.each([
    [7, '7'],
    [-0, '0'],
    [1.5, '1.5'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [1.5e-7, '1.5e-07'],
    [9999999999999998, '9999999999999998'],
    [1e16, '1e+16'],
    [1.25e100, '1.25e+100'],
    [-2.5, '-2.5'],
    [Number.NaN, 'nan'],
    [Number.NEGATIVE_INFINITY, '-inf'],
  ])('prints %d as %s', (value, expected) => {
    expect(pythonNumber(value)).toBe(expected);
  });

  it('round-trips every finite number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(Number(pythonNumber(value))).toBe(value + 0);
      }),
    );
  });
});

describe('pythonText', () => {
  it.each([
    ['text', 'text'],
    [null, 'None'],
    [true, 'True'],
    [false, 'False'],
    [[1, 'a', null], "[1, 'a', None]"],
    [{ code: 7, why: ['x', null] }, "{'code': 7, 'why': ['x', None]}"],
    [["it's"], `["it's"]`],
    [[`it's "so"`], `['it\\'s "so"']`],
    [['a\nb\t\\'], "['a\\nb\\t\\\\']"],
    [['\u200b\u0085é漢'], "['\\u200b\\x85é漢']"],
  ])('of %j is %s', (value, expected) => {
    expect(pythonText(value)).toBe(expected);
  });

  it('is what the literal parser reads back', () => {
    const json = fc.jsonValue({ depthSize: 'small' });
    fc.assert(
      fc.property(json, (value) => {
        const plain = JSON.parse(JSON.stringify(value));
        expect(parsePythonLiteral(pythonRepr(plain))).toMatchObject({ ok: true, value: plain });
      }),
    );
  });

  it('survives any nesting', () => {
    let deep: unknown[] = [];
    for (let i = 0; i < 100_000; i += 1) deep = [deep];
    expect(pythonText(JSON.parse('[]').concat(deep))).toContain('...');
  });
});

describe('isTruthy', () => {
  it.each([[undefined], [null], [false], [0], [''], [[]], [{}]])('%j is false', (value) => {
    expect(isTruthy(value)).toBe(false);
  });
  it.each([[true], [1], ['0'], [[0]], [{ a: null }]])('%j is true', (value) => {
    expect(isTruthy(value)).toBe(true);
  });
});
