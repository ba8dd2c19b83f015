import { isObject } from '../../foreign/json.js';
import type { GpuMetrics } from './reading.js';

/** A number and the unit that was printed beside it, lower case, `''` without one. */
export interface Quantity {
  readonly value: number;
  readonly unit: string;
}

/** Values that drivers return instead of a power or a temperature: all ones in 16 and 32 bits. */
const SENTINELS = new Set([65_535, 4_294_967_295]);

const QUANTITY = /^([+-]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(?:[eE][+-]?\d{1,3})?)\s*([a-zµ°%/]{0,8})$/i;

/**
 * A quantity in any of the forms that tools print: a number, text with or without a unit, `{value, unit}`. Everything else
 * is no value: `N/A`, `[Not Supported]`, `ERR!`, `None`, `-`, `nan`, `inf`, blanks, booleans (spec 02 §10.2 d).
 */
export function quantity(raw: unknown): Quantity | undefined {
  if (typeof raw === 'number') return Number.isFinite(raw) ? { value: raw, unit: '' } : undefined;
  if (typeof raw === 'string') return quantityOfText(raw);
  if (!isObject(raw)) return undefined;
  const inner = raw.value;
  if (typeof inner !== 'number' && typeof inner !== 'string') return undefined;
  const value = quantity(inner);
  if (!value) return undefined;
  const unit = typeof raw.unit === 'string' ? raw.unit.trim().toLowerCase() : '';
  return unit === '' ? value : { value: value.value, unit };
}

function quantityOfText(raw: string): Quantity | undefined {
  const match = QUANTITY.exec(raw.trim());
  if (!match?.[1]) return undefined;
  const value = Number(match[1]);
  return Number.isFinite(value) ? { value, unit: (match[2] ?? '').toLowerCase() } : undefined;
}

/** Percent: 100 to 105 is rounding of the tool and counts as 100, more is garbage. */
export function percent(raw: unknown): number | undefined {
  const value = quantity(raw)?.value;
  if (value === undefined || value < 0 || value > 105) return undefined;
  return Math.min(value, 100);
}

/** °C; outside −20…150 no sensor of a living board reads. */
export function celsius(raw: unknown): number | undefined {
  const found = quantity(raw);
  if (!found) return undefined;
  const value = found.unit === 'mc' ? found.value / 1000 : found.value;
  return value >= -20 && value <= 150 ? value : undefined;
}

/** Watts. */
export function watts(raw: unknown): number | undefined {
  const found = quantity(raw);
  if (!found || SENTINELS.has(found.value)) return undefined;
  const value = found.unit === 'mw' ? found.value / 1000 : found.value;
  return value >= 0 ? value : undefined;
}

const MIB_PER_UNIT: ReadonlyMap<string, number> = new Map([
  ['b', 1 / 2 ** 20],
  ['bytes', 1 / 2 ** 20],
  ['kb', 1 / 1024],
  ['kib', 1 / 1024],
  ['mb', 1],
  ['mib', 1],
  ['gb', 1024],
  ['gib', 1024],
]);

/** MiB; `fallbackUnit` names the unit of a bare number. Tools print MB and mean MiB (spec 02 §10.2 f). */
export function mebibytes(raw: unknown, fallbackUnit: 'b' | 'kb' | 'mb' | 'gb'): number | undefined {
  const found = quantity(raw);
  if (!found || found.value < 0) return undefined;
  const factor = MIB_PER_UNIT.get(found.unit === '' ? fallbackUnit : found.unit);
  return factor === undefined ? undefined : found.value * factor;
}

/** Metrics without the keys that have no value. */
export function presentMetrics(
  metrics: { readonly [K in keyof GpuMetrics]: number | undefined },
): GpuMetrics {
  return Object.fromEntries(Object.entries(metrics).filter(([, value]) => value !== undefined));
}
