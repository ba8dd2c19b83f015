import { cutCodePoints } from '../../foreign/hygiene.js';
import type { Json } from '../../foreign/json.js';
import { parseWriterJson } from '../../foreign/writer-json.js';

/** A cell as text: bytes are decoded lossily, numbers written out; null for NULL. */
export function cellText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (Buffer.isBuffer(value)) return value.toString('utf8');
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : null;
}

/** An integer cell, null for anything else. */
export function cellInteger(value: unknown): number | null {
  const number = typeof value === 'bigint' ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : null;
}

/** A cell whose text is JSON as its value; other text stays text, other types stay as they are (spec 02 §5.1). */
export function cellJson(value: unknown): Json {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  const text = cellText(value);
  if (text === null) return null;
  const parsed = parseWriterJson(text);
  return parsed.ok ? parsed.value : text;
}

/** A text cell, cut; `""` for anything else. */
export function cutText(value: unknown, maxCodePoints: number): string {
  return cutCodePoints(cellText(value) ?? '', maxCodePoints);
}

/** One row of a statement; its cells are foreign until one of the above has read them. */
export type Row = Readonly<Record<string, unknown>>;

/** A row of a statement, or undefined when it has none. */
export function asRow(value: unknown): Row | undefined {
  return typeof value === 'object' && value !== null ? { ...value } : undefined;
}

/** The rows of a statement. */
export function asRows(values: readonly unknown[]): Row[] {
  return values.map((value) => ({ ...(typeof value === 'object' ? value : {}) }));
}
