import { describe, expect, it } from 'vitest';
import type { ConfigField } from '../../../src/foreign/config-field.js';
import { readJsonField, readOptionField, readTextField } from '../../../src/reactor/config/field-value.js';
import { agentFields } from '../../../src/reactor/config/fields.js';
import { layerConfig } from '../../../src/reactor/config/layers.js';

const doc = 'A field.';
const count = { type: 'integer', default: 3, unit: 'count', doc } satisfies ConfigField;
const share = { type: 'number', default: 0.5, unit: 'ratio', maximum: 1, doc } satisfies ConfigField;
const any = { type: 'integer', default: 5, unit: 'ticks', signed: true, doc } satisfies ConfigField;
const toggle = { type: 'boolean', default: true, doc } satisfies ConfigField;
const maybe = { type: 'integer', nullable: true, default: null, unit: 'pid', doc } satisfies ConfigField;
const list = { type: 'string_list', default: ['a'], doc } satisfies ConfigField;

const value = (reading: ReturnType<typeof readJsonField>) => (reading.ok ? reading.value : 'refused');

describe('a value out of a file', () => {
  it.each<[ConfigField, unknown, unknown]>([
    [count, 4, 4],
    [count, 4.5, 'refused'],
    [count, -1, 'refused'],
    [count, '4', 'refused'],
    [count, true, 'refused'],
    [count, Number.NaN, 'refused'],
    [any, -1, -1],
    [share, 1, 1],
    [share, 1.01, 'refused'],
    [toggle, false, false],
    [toggle, 'false', 'refused'],
    [toggle, null, 'refused'],
    [maybe, null, null],
    [list, ['x'], ['x']],
    [list, ['x', 1], 'refused'],
    [list, 'x', 'refused'],
  ])('%o takes %j as %j', (field, given, expected) => {
    expect(value(readJsonField(field, given))).toEqual(expected);
  });

  it('may be out of range where odd settings are tried', () => {
    expect(value(readJsonField(count, -1, true))).toBe(-1);
    expect(value(readJsonField(count, 1.5, true))).toBe('refused');
  });
});

describe('a value out of the environment', () => {
  it.each<[ConfigField, string, unknown]>([
    [count, ' 7 ', 7],
    [count, 'seven', 'refused'],
    [count, '', 'refused'],
    [toggle, 'YES', true],
    [toggle, 'off', false],
    [toggle, '2', 'refused'],
    [list, 'a, b,,c', ['a', 'b', 'c']],
    [list, '["a,b"]', ['a,b']],
    [list, '[1]', 'refused'],
    [maybe, 'null', null],
  ])('%o takes %j as %j', (field, given, expected) => {
    expect(value(readTextField(field, given))).toEqual(expected);
  });
});

describe('a request option', () => {
  it.each<[ConfigField, unknown, unknown]>([
    [toggle, 'false', false],
    [toggle, 0, false],
    [toggle, ' On ', true],
    [toggle, 'maybe', 'refused'],
    [toggle, null, 'refused'],
    [count, '4', 4],
    [count, 4.9, 4],
    [share, 'x', 'refused'],
  ])('%o takes %j as %j', (field, given, expected) => {
    expect(value(readOptionField(field, given))).toEqual(expected);
  });
});

describe('layers', () => {
  const read = (name: string, given: unknown) =>
    name === 'count' ? readJsonField(count, given) : ('unknown' as const);

  it('let the later one win', () => {
    const layers = [4, 6].map((given) => ({ origin: 'x', values: { count: given }, read }));
    expect(layerConfig({ count }, layers).config).toEqual({ count: 6 });
  });

  it('name what is unusable or unknown, and keep the next lower value', () => {
    const layers = [
      { origin: 'file', values: { count: 4 }, read },
      { origin: 'options', values: { count: -1, colour: 'red' }, read },
    ];
    const { config, problems } = layerConfig({ count }, layers);
    expect(config).toEqual({ count: 4 });
    expect(problems).toEqual([
      { origin: 'options', field: 'count', problem: 'unusable', expected: 'an integer >= 0 (count)' },
      { origin: 'options', field: 'colour', problem: 'unknown' },
    ]);
  });
});

describe('every field of the agent', () => {
  it.each(Object.entries(agentFields()))(
    '%s has a default that it accepts, and says what it is',
    (name, field) => {
      expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
      expect(field.doc).toMatch(/^[A-Z`a-z].*[.)]$/s);
      expect(readJsonField(field, field.default)).toMatchObject({ ok: true });
      if (field.type === 'number' || field.type === 'integer') expect(field.unit).not.toBe('');
    },
  );
});
