import { isUtf8 } from 'node:buffer';
import { isObject, type JsonObject, parseJson } from '../../foreign/json.js';
import { trimPython } from '../../foreign/python-space.js';

/** The Coordinator's request for one turn (spec 01 §1.3). */
export interface TickRequest {
  /** Trimmed. */
  readonly sessionId: string;
  readonly rawPrompt: string;
  /** `context.tick_index`, truncated; 0 when it is no number. */
  readonly tickIndex: number;
  /** `context.now_unix` when it is a finite number above 0; undefined = use the wall clock. */
  readonly nowUnix: number | undefined;
  readonly options: JsonObject;
}

export interface RequestRefusal {
  readonly code: 'RA_REQUEST_ENCODING' | 'RA_REQUEST_SYNTAX' | 'RA_REQUEST_FIELD';
  readonly happened: string;
  readonly expected: string;
}

export type RequestReading =
  | { readonly ok: true; readonly request: TickRequest }
  | { readonly ok: false; readonly refusal: RequestRefusal };

/** Longest prompt that is read, UTF-16 units (spec 01 §12 G8). */
export const MAX_PROMPT = 32 * 1024 * 1024;

/** Reads request bytes: strict UTF-8 without a byte order mark; blank counts as JSON `null`. */
export function parseRequest(bytes: Uint8Array): RequestReading {
  if (!isUtf8(bytes)) {
    return refuse('RA_REQUEST_ENCODING', 'the request is not valid UTF-8', 'a JSON object in UTF-8');
  }
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  if (source.startsWith('\ufeff')) {
    return refuse('RA_REQUEST_ENCODING', 'the request starts with a byte order mark', 'JSON without one');
  }
  const parsed = source.trim() === '' ? { ok: true as const, value: null } : parseJson(source);
  if (!parsed.ok)
    return refuse('RA_REQUEST_SYNTAX', `the request is not JSON: ${parsed.message}`, 'a JSON object');
  return readRequest(parsed.value);
}

/**
 * Reads a request that is already JSON; the checks run in the order of spec 01 §1.3.
 *
 * @param allowBlankPrompt recordings may hold a prompt that says nothing
 */
export function readRequest(value: unknown, { allowBlankPrompt = false } = {}): RequestReading {
  if (!isObject(value)) return refuseField('the top level', value, 'an object');
  const { kind, session_id: sessionId, raw_prompt: rawPrompt, context, options } = value;
  if (typeof kind !== 'string' || kind !== 'coordinator_inbox') {
    return refuseField('kind', kind, 'exactly "coordinator_inbox"');
  }
  if (typeof sessionId !== 'string' || trimPython(sessionId) === '') {
    return refuseField('session_id', sessionId, 'a non-blank text');
  }
  if (typeof rawPrompt !== 'string' || (!allowBlankPrompt && trimPython(rawPrompt) === '')) {
    return refuseField('raw_prompt', rawPrompt, 'a non-blank text');
  }
  if (rawPrompt.length > MAX_PROMPT) {
    return refuseField('raw_prompt', `${rawPrompt.length} characters`, `at most ${MAX_PROMPT}`);
  }
  if (context !== undefined && context !== null && !isObject(context)) {
    return refuseField('context', context, 'an object or null');
  }
  if (options !== undefined && options !== null && !isObject(options)) {
    return refuseField('options', options, 'an object or null');
  }
  return {
    ok: true,
    request: {
      sessionId: trimPython(sessionId),
      rawPrompt,
      tickIndex: tickIndexOf(context?.['tick_index']),
      nowUnix: clockOf(context?.['now_unix']),
      options: options ?? {},
    },
  };
}

function tickIndexOf(value: unknown): number {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'number' && Number.isFinite(value) ? Math.trunc(value) + 0 : 0;
}

function clockOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined;
}

function refuse(code: RequestRefusal['code'], happened: string, expected: string): RequestReading {
  return { ok: false, refusal: { code, happened, expected } };
}

function refuseField(field: string, value: unknown, expected: string): RequestReading {
  return refuse('RA_REQUEST_FIELD', `${field} is ${describe(value)}`, expected);
}

/** A value's type, or a short text itself, for an error line. */
function describe(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  return typeof value === 'object' ? 'an object' : `${typeof value} ${String(value)}`;
}
