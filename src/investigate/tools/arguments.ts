import { isObject, type Json, type JsonObject } from '../../foreign/json.js';

interface Common {
  readonly doc: string;
  /** Without a default it must be given, unless it is optional. */
  readonly optional?: true;
}

export type ArgumentSpec =
  | (Common & {
      readonly type: 'string';
      readonly default?: string;
      readonly maxLength?: number;
      /** Line breaks and tabs are fine. */
      readonly multiline?: true;
    })
  | (Common & {
      readonly type: 'integer' | 'number';
      readonly default?: number;
      readonly minimum?: number;
      readonly maximum?: number;
    })
  | (Common & { readonly type: 'boolean'; readonly default?: boolean })
  | (Common & { readonly type: 'choice'; readonly values: readonly string[]; readonly default?: string })
  | (Common & { readonly type: 'strings'; readonly maxItems: number; readonly values?: readonly string[] });

export type ArgumentSpecs = Readonly<Record<string, ArgumentSpec>>;

/** Arguments that passed their schema. */
export type ArgumentValues = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>;

export type ArgumentsReading =
  | { readonly ok: true; readonly values: ArgumentValues; readonly clamped: readonly string[] }
  | { readonly ok: false; readonly problem: string };

const MAX_STRING = 512;

/** The JSON Schema that a model is given. */
export function argumentSchema(specs: ArgumentSpecs): JsonObject {
  const entries = Object.entries(specs);
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(entries.map(([name, spec]) => [name, propertySchema(spec)])),
    required: entries.filter(([, spec]) => isRequired(spec)).map(([name]) => name),
  };
}

/** Reads arguments against their specs: numbers are clamped, everything else that does not fit is refused. */
export function readArguments(specs: ArgumentSpecs, given: unknown): ArgumentsReading {
  if (!isObject(given)) return { ok: false, problem: 'arguments are an object' };
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(specs, name));
  if (unknown !== undefined) return { ok: false, problem: `there is no argument ${unknown.slice(0, 60)}` };
  const values: Record<string, string | number | boolean | readonly string[] | undefined> = {};
  const clamped: string[] = [];
  for (const [name, spec] of Object.entries(specs)) {
    const value = given[name] ?? null;
    if (value === null) {
      if (isRequired(spec)) return { ok: false, problem: `argument ${name} is missing` };
      values[name] = 'default' in spec ? spec.default : undefined;
      continue;
    }
    const read = readOne(spec, value);
    if (read === null) return { ok: false, problem: `argument ${name}: expected ${describe(spec)}` };
    values[name] = read;
    if (typeof value === 'number' && read !== value) clamped.push(`${name} set to ${String(read)}`);
  }
  return { ok: true, values, clamped };
}

/** A string argument that is there. */
export function stringOf(values: ArgumentValues, name: string): string {
  const value = values[name];
  return typeof value === 'string' ? value : '';
}

export function optionalString(values: ArgumentValues, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function numberOf(values: ArgumentValues, name: string, otherwise = 0): number {
  const value = values[name];
  return typeof value === 'number' ? value : otherwise;
}

export function optionalNumber(values: ArgumentValues, name: string): number | undefined {
  const value = values[name];
  return typeof value === 'number' ? value : undefined;
}

export function stringsOf(values: ArgumentValues, name: string): readonly string[] {
  const value = values[name];
  return Array.isArray(value) ? value : [];
}

function isRequired(spec: ArgumentSpec): boolean {
  return spec.optional !== true && !('default' in spec);
}

function readOne(spec: ArgumentSpec, value: Json): string | number | boolean | readonly string[] | null {
  switch (spec.type) {
    case 'string':
      return isPlainText(value, spec.maxLength ?? MAX_STRING, spec.multiline === true) ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'choice':
      return typeof value === 'string' && spec.values.includes(value) ? value : null;
    case 'strings':
      return readStrings(spec, value);
    default: {
      if (typeof value !== 'number' || !Number.isFinite(value)) return null;
      if (spec.type === 'integer' && !Number.isInteger(value)) return null;
      return Math.min(spec.maximum ?? value, Math.max(spec.minimum ?? value, value));
    }
  }
}

function readStrings(
  { maxItems, values }: Extract<ArgumentSpec, { type: 'strings' }>,
  value: Json,
): readonly string[] | null {
  if (!Array.isArray(value) || value.length === 0 || value.length > maxItems) return null;
  const texts = value.filter((entry) => isPlainText(entry, MAX_STRING));
  if (texts.length !== value.length) return null;
  return values !== undefined && !texts.every((text) => values.includes(text)) ? null : texts;
}

function isPlainText(value: Json, maxLength: number, isMultiline = false): value is string {
  if (typeof value !== 'string' || value.length > maxLength) return false;
  const line = isMultiline ? value.replace(/[\n\r\t]/g, '') : value;
  return !/[\u0000-\u001f\u007f-\u009f]/.test(line);
}

function propertySchema(spec: ArgumentSpec): JsonObject {
  const base = { description: spec.doc, ...('default' in spec ? { default: spec.default } : {}) };
  switch (spec.type) {
    case 'string':
      return { type: 'string', maxLength: spec.maxLength ?? MAX_STRING, ...base };
    case 'choice':
      return { type: 'string', enum: spec.values, ...base };
    case 'strings':
      return {
        type: 'array',
        maxItems: spec.maxItems,
        items: { type: 'string', ...(spec.values ? { enum: spec.values } : {}) },
        ...base,
      };
    case 'boolean':
      return { type: 'boolean', ...base };
    default: {
      const { minimum, maximum } = spec;
      return {
        type: spec.type,
        ...(minimum === undefined ? {} : { minimum }),
        ...(maximum === undefined ? {} : { maximum }),
        ...base,
      };
    }
  }
}

function describe(spec: ArgumentSpec): string {
  switch (spec.type) {
    case 'choice':
      return `one of ${spec.values.join(', ')}`;
    case 'strings':
      return `1 to ${spec.maxItems} texts${spec.values ? ` out of ${spec.values.join(', ')}` : ''}`;
    case 'string':
      return `text of at most ${spec.maxLength ?? MAX_STRING} characters without control characters`;
    default:
      return spec.type;
  }
}
