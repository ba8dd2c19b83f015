import { describe, expect, it } from 'vitest';
import type { ConfigField } from '../../../src/foreign/config-field.js';
import { readJsonField, readOptionField, readTextField } from '../../../src/reactor/config/field-value.js';
import { agentFields, FieldSet } from '../../../src/reactor/config/fields.js';
import { describeProblem, layerConfig } from '../../../src/reactor/config/layers.js';

const doc = 'A field.';
const count = { type: 'integer', default: 3, unit: 'count', doc } satisfies ConfigField;
const share = { type: 'number', default: 0.5, unit: 'ratio', maximum: 1, doc } satisfies ConfigField;
const any = { type: 'integer', default: 5, unit: 'ticks', signed: true, doc } satisfies ConfigField;
const toggle = { type: 'boolean', default: true, doc } satisfies ConfigField;
const maybe = { type: 'integer', nullable: true, default: null, unit: 'pid', doc } satisfies ConfigField;
const near = {
  type: 'number',
  default: 5,
  unit: 's',
  minimum: 1,
  maximum: 9,
  clamped: true,
  doc,
} satisfies ConfigField;
const one = { type: 'string', default: 'a', choices: ['a', 'b'], doc } satisfies ConfigField;
const key = { type: 'string', nullable: true, default: null, secret: true, doc } satisfies ConfigField;
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
    [near, 0, 1],
    [near, 10, 9],
    [near, '5', 'refused'],
    [one, 'b', 'b'],
    [one, 'B', 'refused'],
    [one, 'c', 'refused'],
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
    [near, '0.5', 1],
    [near, 'soon', 'refused'],
    [one, ' B ', 'b'],
    [one, 'c', 'refused'],
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
    expect(layerConfig(new FieldSet([{ count }]), layers).config).toEqual({ count: 6 });
  });

  it('name what is unusable or unknown, and keep the next lower value', () => {
    const layers = [
      { origin: 'file', values: { count: 4 }, read },
      { origin: 'options', values: { count: -1, colour: 'red' }, read },
    ];
    const { config, problems } = layerConfig(new FieldSet([{ count }]), layers);
    expect(config).toEqual({ count: 4 });
    expect(problems).toEqual([
      { origin: 'options', field: 'count', problem: 'unusable', expected: 'an integer >= 0 (count)' },
      { origin: 'options', field: 'colour', problem: 'unknown' },
    ]);
  });
});

describe('layers of special fields', () => {
  const fields = { near, key };
  const read = (name: string, given: unknown) => readJsonField(name === 'near' ? near : key, given);

  it('say when a value was brought to its limit, and under which name it came', () => {
    const layer = { origin: 'environment', values: { near: 90 }, names: { near: 'ROBUSTNESS_NEAR' }, read };
    const { config, problems } = layerConfig(new FieldSet([fields]), [layer]);
    expect(config).toEqual({ near: 9 });
    expect(problems.map(describeProblem)).toEqual([
      'environment: ROBUSTNESS_NEAR is out of range, expected a number >= 1 and <= 9 (s); its limit is used',
    ]);
  });

  it('keep credentials apart, and out of what they say about them', () => {
    const layers = [' canary ', 7].map((given) => ({ origin: 'file', values: { key: given }, read }));
    const { config, secrets, problems } = layerConfig(new FieldSet([fields]), layers);
    expect([config, secrets]).toEqual([{ near: 5 }, { key: 'canary' }]);
    expect(problems.map(describeProblem).join()).toMatch(/key is not usable/);
    expect(JSON.stringify([config, problems])).not.toContain('canary');
    expect(layerConfig(new FieldSet([fields]), []).secrets).toEqual({});
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
