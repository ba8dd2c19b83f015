import { wellFormed } from '../foreign/hygiene.js';
import { isObject, type Json } from '../foreign/json.js';
import type { WireIntent } from './findings/finding.js';

/** LLM usage of a tick, summed over its calls (spec 01 §1.5). */
export type LlmUsage = {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly calls: number;
  readonly latency_ms: number;
  readonly model: string;
  readonly cache_creation_input_tokens?: number;
  readonly cache_read_input_tokens?: number;
  /** HTTP requests that gave no usable answer. */
  readonly failed_attempts?: number;
};

/** The answer to the Coordinator, in the order of its keys (spec 01 §1.5). */
export type Emit = {
  readonly intent_envelope: { readonly intents: readonly WireIntent[] };
  readonly session_id: string;
  readonly tick_index: number;
  readonly parse_warnings: readonly string[];
  readonly llm_usage?: LlmUsage;
};

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
