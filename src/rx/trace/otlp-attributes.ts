import { isObject } from '../../foreign/json.js';
import { kindOf, type Parsed, refuse } from './parse-event.js';

/** Attributes of a span or resource as a plain map. */
export type Attributes = ReadonlyMap<string, unknown>;

export const NO_ATTRIBUTES: Attributes = new Map();

/** Reads a plain map or OTLP's key/value list; null and absent mean none. */
export function readAttributes(value: unknown, field: string): Parsed<Attributes> {
  if (value === undefined || value === null) return { ok: true, value: NO_ATTRIBUTES };
  if (isObject(value)) return { ok: true, value: new Map(Object.entries(value)) };
  if (!Array.isArray(value)) return refuse(field, `expected a map or a key/value list, got ${kindOf(value)}`);
  const attributes = new Map<string, unknown>();
  for (const [index, entry] of value.entries()) {
    if (!isObject(entry) || typeof entry['key'] !== 'string') {
      return refuse(`${field}[${index}]`, 'expected an object with a text `key`');
    }
    const unwrapped = unwrap(entry['value']);
    if (unwrapped === UNKNOWN)
      return refuse(`${field}[${index}].value`, 'expected one of OTLP’s value types');
    attributes.set(entry['key'], unwrapped);
  }
  return { ok: true, value: attributes };
}

/** The first of several names that has a value. */
export function lookUp(attributes: Attributes, names: readonly string[]): unknown {
  for (const name of names) {
    const value = attributes.get(name);
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

const UNKNOWN = Symbol('unknown');
const SCALARS = ['stringValue', 'intValue', 'boolValue', 'doubleValue'] as const;

/** The content of an OTLP AnyValue; null for an absent one, `UNKNOWN` for what is none. */
function unwrap(value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (!isObject(value)) return UNKNOWN;
  for (const key of SCALARS) if (value[key] !== undefined) return value[key];
  const list = value['arrayValue'];
  if (isObject(list)) return arrayItems(list['values'] ?? []);
  const opaque = value['kvlistValue'] !== undefined || value['bytesValue'] !== undefined;
  return opaque || Object.keys(value).length === 0 ? null : UNKNOWN;
}

function arrayItems(values: unknown): unknown {
  if (!Array.isArray(values)) return UNKNOWN;
  const items = values.map((item) =>
    isObject(item) ? SCALARS.map((key) => item[key]).find((v) => v !== undefined) : item,
  );
  return items;
}
