const INTEGER = /^[+-]?\d+(?:_\d+)*$/;
const FLOAT = /^[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?$/;

/** Integer text as Python's `int()` reads it, ASCII digits only; undefined for anything else (spec 01 §2.5). */
export function integerText(source: string): number | undefined {
  if (!INTEGER.test(source)) return undefined;
  const value = Number(source.replaceAll('_', ''));
  return Number.isFinite(value) ? value + 0 : undefined;
}

/** Float text as Python's `float()` reads it; undefined for anything else and for what is not finite (spec 01 §2.5, G7). */
export function floatText(source: string): number | undefined {
  if (!FLOAT.test(source)) return undefined;
  const value = Number(source.replaceAll('_', ''));
  return Number.isFinite(value) ? value : undefined;
}
