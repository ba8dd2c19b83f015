import type { ErrorBody } from './error-body.js';
import { isRecord, type JsonRecord, recordOr } from './json.js';

/** What an endpoint taught us about one model; every field absent until it did. */
export interface Quirks {
  /** The name under which it takes the output limit. */
  readonly outputLimit?: 'max_tokens' | 'max_completion_tokens';
  /** It refuses a temperature. */
  readonly withoutTemperature?: true;
  /** Its hidden reasoning needs more room: smallest output limit to ask for, tokens. */
  readonly leastOutputTokens?: number;
}

/** What endpoints taught us, by endpoint and model; can be kept between processes. */
export interface EndpointMemory {
  recall(key: string): Quirks;
  learn(key: string, quirks: Quirks): void;
  /** For a state file. */
  snapshot(): JsonRecord;
}

const MAX_ENTRIES = 32;
const MAX_LEAST_TOKENS = 16_384;

/** A memory, filled from whatever a state file holds; what cannot be read is left out. */
export function createEndpointMemory(stored?: unknown): EndpointMemory {
  const known = new Map<string, Quirks>();
  for (const [key, value] of Object.entries(recordOr(stored)).slice(0, MAX_ENTRIES)) {
    if (isRecord(value)) known.set(key, parseQuirks(value));
  }
  return {
    recall: (key) => known.get(key) ?? {},
    learn(key, quirks) {
      known.set(key, { ...known.get(key), ...quirks });
      const oldest = known.keys().next();
      if (known.size > MAX_ENTRIES && !oldest.done) known.delete(oldest.value);
    },
    snapshot: () => Object.fromEntries([...known].map(([key, quirks]) => [key, writeQuirks(quirks)])),
  };
}

function parseQuirks(stored: JsonRecord): Quirks {
  const limit = stored['output_limit'];
  const least = stored['least_output_tokens'];
  return {
    ...((limit === 'max_tokens' || limit === 'max_completion_tokens') && { outputLimit: limit }),
    ...(stored['without_temperature'] === true && { withoutTemperature: true as const }),
    ...(typeof least === 'number' && least > 0 && { leastOutputTokens: Math.min(least, MAX_LEAST_TOKENS) }),
  };
}

function writeQuirks(quirks: Quirks): JsonRecord {
  return {
    output_limit: quirks.outputLimit,
    without_temperature: quirks.withoutTemperature,
    least_output_tokens: quirks.leastOutputTokens,
  };
}

/** Models that take only `max_completion_tokens` and no temperature: gpt-5 and the o-series, whatever the vendor prefix. */
export function isReasoningModel(model: string): boolean {
  const name = model.trim().toLowerCase().split('/').at(-1) ?? '';
  return /^(gpt-5(?!\d)|o\d+(?![0-9a-z]))/.test(name);
}

/** The name of the output limit to begin with. */
export function outputLimitFor(model: string, quirks: Quirks): 'max_tokens' | 'max_completion_tokens' {
  return quirks.outputLimit ?? (isReasoningModel(model) ? 'max_completion_tokens' : 'max_tokens');
}

/**
 * What a 400 or 422 teaches about the request that was sent: another name for the output limit, or no temperature. Null
 * when it objects to something else; a limit that is merely too large is not cured by another name.
 *
 * @param sent the body keys of that request
 */
export function learnFromRefusal(said: ErrorBody, sent: readonly string[]): Quirks | null {
  const names = (param: string): boolean =>
    sent.includes(param) &&
    (said.param === param || new RegExp(`(?<![\\w])${param}(?![\\w])`).test(said.message));
  if (/too (large|small|high|low)|at most|at least|less than or equal|greater than/i.test(said.message))
    return null;
  if (names('max_tokens')) return { outputLimit: 'max_completion_tokens' };
  if (names('max_completion_tokens')) return { outputLimit: 'max_tokens' };
  if (names('temperature')) return { withoutTemperature: true };
  return null;
}
