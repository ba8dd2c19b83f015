/** A value as JSON can carry it. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object; its keys come from elsewhere, so every one may be absent. */
export type JsonObject = { readonly [key: string]: Json | undefined };

/** True for a plain object: not null, not an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object, or `{}` for anything else (the object guard of spec 04 §0). */
export function objectOr(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** The list, or `[]` for anything else. */
export function listOr(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** The objects of a list; other elements are skipped, anything that is no list is empty. */
export function objectsOf(value: unknown): JsonObject[] {
  return listOr(value).filter(isObject);
}

/** A finite number, never a boolean; otherwise undefined (spec 03 G-4). */
export function finiteNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** A finite number without fractional part; otherwise undefined (spec 04 §0). */
export function integer(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined;
}

/** A string as it is; otherwise undefined. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A trimmed, non-empty string; otherwise undefined. */
export function nonBlank(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const trimmed = value.trim();
  return trimmed === '' ? undefined : trimmed;
}

/**
 * An integer out of a state file: a finite number, truncated toward zero, or integer text of at most 15 digits; booleans
 * and everything else give the default (spec 03 G-3).
 */
export function storedInteger(value: unknown, fallback: number): number {
  if (typeof value === 'number') return Number.isFinite(value) ? Math.trunc(value) + 0 : fallback;
  if (typeof value === 'string' && /^\s*[+-]?\d{1,15}\s*$/.test(value)) return Number(value);
  return fallback;
}

/** A finite number out of a state file, or the default (spec 03 G-3). */
export function storedNumber(value: unknown, fallback: number): number {
  return finiteNumber(value) ?? fallback;
}

/** Parses JSON; a failure is data. Never throws, whatever the nesting. */
export function parseJson(source: string): { ok: true; value: Json } | { ok: false; message: string } {
  try {
    const value: Json = JSON.parse(source);
    return { ok: true, value };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}
