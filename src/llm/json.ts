/** A value as JSON can carry it. */
export type Json = null | boolean | number | string | readonly Json[] | JsonRecord;

/** A JSON object whose keys come from elsewhere: every one may be absent. */
export type JsonRecord = { readonly [key: string]: Json | undefined };

/** True for a plain object: not null, not an array. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The record, or an empty one for anything else. */
export function recordOr(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}

/** The list, or an empty one for anything else. */
export function listOr(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** The string, or undefined for anything else. */
export function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A token count: a finite number of at least 0, without its fraction; otherwise undefined. */
export function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.floor(value) : undefined;
}

/** Parses JSON; a failure is data. */
export function parseJson(
  source: string,
): { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly problem: string } {
  try {
    const value: Json = JSON.parse(source);
    return { ok: true, value };
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Compact JSON with sorted keys, the form that is hashed (spec 07 B15). Absent values are left out, as JSON does. */
export function canonicalJson(value: Json | undefined): string {
  if (value === undefined) return 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const pairs = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`);
  return `{${pairs.join(',')}}`;
}

/** The value with `change` applied to every string in it, keys included. */
export function mapStrings(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change));
  if (!isRecord(value)) return value;
  return mapRecord(value, change);
}

/** As {@link mapStrings}, for an object. */
export function mapRecord(record: JsonRecord, change: (text: string) => string): JsonRecord {
  return Object.fromEntries(
    Object.entries(record).flatMap(([key, item]) =>
      item === undefined ? [] : [[change(key), mapStrings(item, change)]],
    ),
  );
}
