import { wellFormed } from '../foreign/hygiene.js';
import { isObject, type Json } from '../foreign/json.js';
import type { Emit } from './generated/wire-types.js';

/** The answer to the Coordinator, as schemas/emit.schema.json describes it (spec 01 §1.5). */
export type { Emit, LlmUsage } from './generated/wire-types.js';

/** The answer as text: two spaces, non-ASCII raw, final newline; lone surrogates become U+FFFD, so it is valid UTF-8. */
export function emitText(emit: Emit): string {
  return `${JSON.stringify(withWellFormedText(emit), null, 2)}\n`;
}

function withWellFormedText(value: Json): Json {
  if (typeof value === 'string') return wellFormed(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (isObject(value)) {
    const entries = Object.entries(value).filter((entry): entry is [string, Json] => entry[1] !== undefined);
    return Object.fromEntries(entries.map(([key, item]) => [wellFormed(key), withWellFormedText(item)]));
  }
  return Array.isArray(value) ? value.map(withWellFormedText) : value;
}
