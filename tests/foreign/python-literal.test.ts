import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isObject, type Json } from '../../src/foreign/json.js';
import { MAX_NESTING, parsePythonLiteral } from '../../src/foreign/python-literal.js';

function decoded(source: string): Json | undefined {
  const literal = parsePythonLiteral(source);
  return literal.ok ? literal.value : undefined;
}

describe('a literal as the host writes it', () => {
  it.each<[string, Json]>([
    ["{'a': 'x' 'y'}", { a: 'xy' }],
    ["{'a': (1,), 'b': (1)}", { a: [1], b: 1 }],
    ["{'a': 0x1F}", { a: 31 }],
    ["{'a': .5}", { a: 0.5 }],
    ["{'a': 1_0.0_1}", { a: 10.01 }],
    ["{'a': 'x', 'a': 'y'}", { a: 'y' }],
    ['{1: 2, None: 3, True: 4}', { 1: 4, null: 3 }],
    ['{2.0: 1}', { '2.0': 1 }],
    ["{'a': 1} # note", { a: 1 }],
    ['{1, 2, 2}', [1, 2]],
    ['set()', []],
    ['-0.0', -0],
    ['1.5e-05', 1.5e-5],
    ['1e+16', 1e16],
    ["'\\q'", '\\q'],
    ["'caf\\xe9 \\u2713 \\U0001f600\\t'", 'café ✓ 😀\t'],
    ["'\\ud83d\\ude00'", '😀'],
    ["'\\101'", 'A'],
    ["r'\\n'", '\\n'],
    ['"it\'s"', "it's"],
    ["'''a'b'''", "a'b"],
    ["{'x': nan, 'y': -inf, 'z': 1e999}", { x: null, y: null, z: null }],
    ["{'__proto__': 1}", JSON.parse('{"__proto__": 1}')],
  ])('%s', (source, value) => {
    expect(decoded(source)).toEqual(value);
  });

  it.each([
    ['[1,2]', 'list'],
    ['5', 'int'],
    ['None', 'NoneType'],
    ["{'a': 1},", 'tuple'],
    ['1.0', 'float'],
    ['True', 'bool'],
    ["'x'", 'str'],
  ])('%s is a %s', (source, type) => {
    expect(parsePythonLiteral(source)).toMatchObject({ ok: true, type });
  });
});

describe('what is not a literal stays undecoded', () => {
  it.each([
    "{'a': true}",
    "{'a': null}",
    "{'a': 1 + 2}",
    "{'a': --1}",
    "{'a': 007}",
    "{'a': f'x'}",
    "{'a': b'x'}",
    "{'a': 1} tail",
    "{'a': 'x",
    "{'a' 1}",
    '{[1]: 2}',
    '{{}}',
    '{(1, 2): 3}',
    '1j',
    '...',
    '1__0',
    "'\\x1'",
    "'\\N{DASH}'",
    "open('/etc/passwd')",
    "__import__('os')",
    '[x for x in []]',
    '',
  ])('%s', (source) => {
    expect(parsePythonLiteral(source).ok).toBe(false);
  });

  it(`accepts ${MAX_NESTING} nested brackets and refuses one more`, () => {
    const nest = (depth: number) => `${"{'a':".repeat(depth)}1${'}'.repeat(depth)}`;
    expect(parsePythonLiteral(nest(MAX_NESTING)).ok).toBe(true);
    expect(parsePythonLiteral(nest(MAX_NESTING + 1)).ok).toBe(false);
    expect(parsePythonLiteral('['.repeat(200_000)).ok).toBe(false);
  });
});

/** Python's `repr` for values that came from JSON, independent of the parser. */
function repr(value: Json): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return Object.is(value, -0) ? '-0.0' : String(value);
  if (typeof value === 'string') return reprText(value);
  if (isObject(value)) {
    return `{${Object.entries(value)
      .map(([key, item]) => `${reprText(key)}: ${repr(item ?? null)}`)
      .join(', ')}}`;
  }
  return `[${value.map(repr).join(', ')}]`;
}

function reprText(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const body = text.replace(
    /[\\'\n\r\t\u0000-\u001f\u007f-\u00a0\u200b\u2028\u2029\ud800-\udfff]/g,
    (char) => {
      if (char === '\\') return '\\\\';
      if (char === "'") return quote === "'" ? "\\'" : "'";
      return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
    },
  );
  return `${quote}${body}${quote}`;
}

describe('properties', () => {
  it('reads back whatever repr writes of a JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const plain: Json = JSON.parse(JSON.stringify(value));
        expect(decoded(repr(plain))).toEqual(plain);
      }),
    );
  });

  it('never throws, whatever the text', () => {
    const alphabet = fc.constantFrom(...'{}[](),:\'"\\ \t#0123456789.eE+-_xXabrufNTF\u00e9\u2028');
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: alphabet, maxLength: 60 })), (source) => {
        expect(typeof parsePythonLiteral(source).ok).toBe('boolean');
      }),
      { numRuns: 3000 },
    );
  });
});
