import type { ConfigField, ConfigValue } from '../../foreign/config-field.js';
import { parseJson } from '../../foreign/json.js';

/** A value for a field, or why it is none. */
export type FieldReading =
  | { readonly ok: true; readonly value: ConfigValue /** It was out of range. */; readonly clamped?: true }
  | { readonly ok: false; readonly expected: string };

const TRUE_WORDS = new Set(['1', 'true', 'yes', 'on']);
const FALSE_WORDS = new Set(['0', 'false', 'no', 'off', '']);

/** What a field accepts, for messages. */
export function expectation(field: ConfigField): string {
  const orNull = 'nullable' in field && field.nullable === true ? ' or null' : '';
  if (field.type === 'boolean') return `true or false${orNull}`;
  if (field.type === 'string') return `${field.choices?.join(', ') ?? 'a text'}${orNull}`;
  if (field.type === 'string_list') return 'a list of texts';
  const kind = field.type === 'integer' ? 'an integer' : 'a number';
  const bounds = [
    field.exclusiveMinimum !== undefined ? `> ${field.exclusiveMinimum}` : undefined,
    lowerBound(field) !== undefined ? `>= ${lowerBound(field)}` : undefined,
    field.maximum !== undefined ? `<= ${field.maximum}` : undefined,
  ].filter((bound) => bound !== undefined);
  return `${kind}${bounds.length > 0 ? ` ${bounds.join(' and ')}` : ''} (${field.unit})${orNull}`;
}

type NumberField = Extract<ConfigField, { type: 'number' | 'integer' }>;

function lowerBound(field: NumberField): number | undefined {
  if (field.exclusiveMinimum !== undefined) return undefined;
  return field.minimum ?? (field.signed === true ? undefined : 0);
}

/**
 * Reads a JSON value (a file's, or `replay`'s) for a field; types are strict (spec 01 §9.1, 03 G-7).
 *
 * @param anyRange true takes every finite number of the right type, as `replay` does to try odd settings
 */
export function readJsonField(field: ConfigField, value: unknown, anyRange = false): FieldReading {
  const refusal: FieldReading = { ok: false, expected: expectation(field) };
  if (value === null) return 'nullable' in field && field.nullable === true ? { ok: true, value } : refusal;
  if (field.type === 'boolean') return typeof value === 'boolean' ? { ok: true, value } : refusal;
  if (field.type === 'string') {
    const isOne = typeof value === 'string' && (field.choices?.includes(value) ?? true);
    return isOne ? { ok: true, value } : refusal;
  }
  if (field.type === 'string_list') return isTextList(value) ? { ok: true, value } : refusal;
  if (typeof value !== 'number' || !Number.isFinite(value)) return refusal;
  if (field.type === 'integer' && !Number.isInteger(value)) return refusal;
  if (anyRange || inRange(field, value)) return { ok: true, value };
  return field.clamped === true ? { ok: true, value: nearest(field, value), clamped: true } : refusal;
}

/** True when a number is where the field allows it. */
export function inRange(field: NumberField, value: number): boolean {
  const least = lowerBound(field);
  if (field.exclusiveMinimum !== undefined && value <= field.exclusiveMinimum) return false;
  if (least !== undefined && value < least) return false;
  return field.maximum === undefined || value <= field.maximum;
}

function nearest(field: NumberField, value: number): number {
  const least = lowerBound(field) ?? value;
  return Math.min(field.maximum ?? value, Math.max(least, value));
}

/** Reads the text of an environment variable or a flag for a field; lists as a JSON array or comma separated. */
export function readTextField(field: ConfigField, source: string): FieldReading {
  const trimmed = source.trim();
  if ('nullable' in field && field.nullable === true && trimmed.toLowerCase() === 'null')
    return { ok: true, value: null };
  if (field.type === 'string') {
    return readJsonField(field, field.choices === undefined ? source : trimmed.toLowerCase());
  }
  if (field.type === 'string_list') return readJsonField(field, listOf(trimmed));
  if (field.type === 'boolean') return readSwitch(field, trimmed);
  return trimmed === '' ? { ok: false, expected: expectation(field) } : readJsonField(field, Number(trimmed));
}

/** Reads a request option: switches also as words and 1/0, numbers also as text (spec 01 §1.4). */
export function readOptionField(field: ConfigField, value: unknown): FieldReading {
  if (value === null) return { ok: false, expected: expectation(field) };
  if (field.type === 'boolean' && (typeof value === 'string' || typeof value === 'number')) {
    return readSwitch(field, String(value).trim());
  }
  if ((field.type === 'number' || field.type === 'integer') && typeof value === 'string') {
    return readTextField(field, value);
  }
  if (field.type === 'integer' && typeof value === 'number') return readJsonField(field, Math.trunc(value));
  return readJsonField(field, value);
}

function readSwitch(field: ConfigField, word: string): FieldReading {
  const lower = word.toLowerCase();
  if (TRUE_WORDS.has(lower)) return { ok: true, value: true };
  if (FALSE_WORDS.has(lower)) return { ok: true, value: false };
  return { ok: false, expected: expectation(field) };
}

function listOf(source: string): unknown {
  if (!source.startsWith('[')) {
    return source
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  }
  const parsed = parseJson(source);
  return parsed.ok ? parsed.value : undefined;
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
