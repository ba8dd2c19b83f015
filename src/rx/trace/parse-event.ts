import { isObject } from '../../foreign/json.js';
import type { TraceEvent } from './event.js';

/** A row that is not an event: the field that is wrong and what is wrong with it. */
export interface Refusal {
  readonly ok: false;
  readonly field: string;
  readonly reason: string;
}

export type Parsed<T> = { readonly ok: true; readonly value: T } | Refusal;

/** Refuses a value with the field it stood in. */
export function refuse(field: string, reason: string): Refusal {
  return { ok: false, field, reason };
}

const NO_FIELDS: readonly string[] = [];

/**
 * The boundary parser of trace rows, lean (spec 06 A.1) or full (D.1). Unknown keys are ignored; what cannot be read as
 * A.1's Product note says is refused, never guessed.
 */
export function parseTraceEvent(row: unknown): Parsed<TraceEvent> {
  if (!isObject(row)) return refuse('', `expected an object, got ${kindOf(row)}`);
  const runId = identifier(row['run_id'], 'run_id');
  if (!runId.ok) return runId;
  const agentId = identifier(row['agent_id'], 'agent_id');
  if (!agentId.ok) return agentId;
  const eventId = row['event_id'] === undefined ? undefined : identifier(row['event_id'], 'event_id', true);
  if (eventId?.ok === false) return eventId;
  const turn = integer(row['turn'], 'turn');
  if (!turn.ok) return turn;
  const succeeded = flag(row['action_succeeded'], 'action_succeeded');
  if (!succeeded.ok) return succeeded;
  const tool = toolName(row);
  if (!tool.ok) return tool;
  const classification = classificationOf(row['failure_classification'], 'failure_classification');
  if (!classification.ok) return classification;
  const fields = textList(row['divergence_fields'], 'divergence_fields');
  if (!fields.ok) return fields;
  const latency = latencyTotal(row['latency_ms'], 'latency_ms');
  if (!latency.ok) return latency;
  return {
    ok: true,
    value: {
      event_id: eventId?.value ?? '',
      run_id: runId.value,
      turn: turn.value,
      agent_id: agentId.value,
      tool_name: tool.value,
      action_succeeded: succeeded.value,
      divergence_fields: fields.value,
      failure_classification: classification.value,
      latency_total_ms: latency.value,
    },
  };
}

/** Non-empty text, or a finite number as text. */
export function identifier(value: unknown, field: string, emptyAllowed = false): Parsed<string> {
  if (value === undefined) return refuse(field, 'missing');
  if (typeof value === 'number' && Number.isFinite(value)) return { ok: true, value: String(value) };
  if (typeof value !== 'string') return refuse(field, `expected text, got ${kindOf(value)}`);
  if (value === '' && !emptyAllowed) return refuse(field, 'empty');
  return { ok: true, value };
}

/** An integer, or the text of one. */
export function integer(value: unknown, field: string): Parsed<number> {
  if (value === undefined) return refuse(field, 'missing');
  const number = typeof value === 'string' && /^\s*[+-]?\d{1,16}\s*$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isSafeInteger(number)) return { ok: true, value: number };
  return refuse(field, `expected an integer, got ${kindOf(value)}`);
}

/** A boolean, 0, 1, or `true`/`false` as text in any case. */
export function flag(value: unknown, field: string): Parsed<boolean> {
  if (value === undefined) return refuse(field, 'missing');
  const known = typeof value === 'string' ? value.trim().toLowerCase() : value;
  if (known === true || known === 1 || known === 'true') return { ok: true, value: true };
  if (known === false || known === 0 || known === 'false') return { ok: true, value: false };
  return refuse(field, `expected a boolean, got ${kindOf(value)}`);
}

/** Null, `""` and `"null"` mean none; other scalars become text (spec 06 A.1). */
export function classificationOf(value: unknown, field: string): Parsed<string | null> {
  if (value === undefined || value === null || value === '' || value === 'null')
    return { ok: true, value: null };
  if (typeof value === 'object') return refuse(field, `expected text or null, got ${kindOf(value)}`);
  return { ok: true, value: String(value) };
}

/** Null or an array of texts. */
export function textList(value: unknown, field: string): Parsed<readonly string[]> {
  if (value === undefined || value === null) return { ok: true, value: NO_FIELDS };
  if (!Array.isArray(value)) return refuse(field, `expected an array of texts, got ${kindOf(value)}`);
  const texts: string[] = [];
  for (const item of value) {
    if (typeof item !== 'string') return refuse(field, `expected texts inside, got ${kindOf(item)}`);
    texts.push(item);
  }
  return { ok: true, value: texts };
}

/** Names what a value is, for an error message; numbers and short texts are shown. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return `the text ${JSON.stringify(value.slice(0, 40))}`;
  return typeof value === 'object' ? 'an object' : 'nothing';
}

/** Null, a finite number ≥ 0, numeric text (truncated), or an object of such, whose `total` counts. */
function latencyTotal(value: unknown, field: string): Parsed<number> {
  if (value === undefined || value === null) return { ok: true, value: 0 };
  if (!isObject(value)) return milliseconds(value, field);
  for (const [key, part] of Object.entries(value)) {
    if (part === null) continue;
    const parsed = milliseconds(part, `${field}.${key}`);
    if (!parsed.ok) return parsed;
  }
  return value['total'] === undefined || value['total'] === null
    ? { ok: true, value: 0 }
    : milliseconds(value['total'], `${field}.total`);
}

function milliseconds(value: unknown, field: string): Parsed<number> {
  const text = typeof value === 'string' && /^\s*\d+(\.\d*)?([eE][+-]?\d+)?\s*$/.test(value);
  const number = text ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number) && number >= 0) {
    return { ok: true, value: Math.trunc(number) };
  }
  return refuse(field, `expected a finite number of at least 0, got ${kindOf(value)}`);
}

/** The text in `action_taken.tool_name`, else the top-level one, else `unknown`. */
function toolName(row: Readonly<Record<string, unknown>>): Parsed<string> {
  const action = row['action_taken'];
  if (action !== undefined && action !== null && !isObject(action)) {
    return refuse('action_taken', `expected an object, got ${kindOf(action)}`);
  }
  const nested = isObject(action) ? action['tool_name'] : undefined;
  if (typeof nested === 'string' && nested !== '') return { ok: true, value: nested };
  const top = row['tool_name'];
  return { ok: true, value: typeof top === 'string' && top !== '' ? top : 'unknown' };
}
