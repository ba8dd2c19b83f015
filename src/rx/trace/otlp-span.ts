import { createHash } from 'node:crypto';
import { isObject } from '../../foreign/json.js';
import type { TraceEvent } from './event.js';
import { type Attributes, lookUp, readAttributes } from './otlp-attributes.js';
import {
  classificationOf,
  flag,
  identifier,
  integer,
  kindOf,
  type Parsed,
  refuse,
  textList,
} from './parse-event.js';

/** Which of the two file forms a span stood in: an array of spans, or OTLP/HTTP's `resourceSpans` (spec 06 D.2). */
export type SpanForm = 'flat' | 'otlp';

const OK_CODES: ReadonlySet<unknown> = new Set([
  0,
  1,
  'OK',
  'UNSET',
  'STATUS_CODE_OK',
  'STATUS_CODE_UNSET',
  '0',
  '1',
]);
const ERROR_CODES: ReadonlySet<unknown> = new Set([2, 'ERROR', 'STATUS_CODE_ERROR', '2']);
const EVENT_ID_DIGITS = 12;

/**
 * Converts one span of either form. Span attributes win over resource attributes; the action failed if the status or
 * the attribute says so (spec 06 D.2, E.23). A span without an id gets no event id, so that spans of one trace cannot
 * replace each other.
 */
export function spanToEvent(span: unknown, resource: Attributes, form: SpanForm): Parsed<TraceEvent> {
  if (!isObject(span)) return refuse('', `expected a span object, got ${kindOf(span)}`);
  const own = readAttributes(span['attributes'], 'attributes');
  if (!own.ok) return own;
  const attribute = (...names: string[]) => lookUp(own.value, names) ?? lookUp(resource, names);
  const runId = optionalId(attribute('run.id', 'run_id') ?? span['traceId'] ?? span['trace_id'], 'run.id');
  if (!runId.ok) return runId;
  const agentId = optionalId(attribute('agent.id', 'agent_id'), 'agent.id');
  if (!agentId.ok) return agentId;
  const turn = integer(attribute('turn') ?? 0, 'turn');
  if (!turn.ok) return turn;
  const tool = optionalId(attribute('action.tool', 'tool_name') ?? span['name'], 'action.tool');
  if (!tool.ok) return tool;
  const succeeded = outcome(span, attribute('action.succeeded'));
  if (!succeeded.ok) return succeeded;
  const classification = classificationOf(
    attribute('failure.classification', 'failure_classification'),
    'failure.classification',
  );
  if (!classification.ok) return classification;
  const fields = divergence(attribute('divergence.fields', 'divergence_fields'));
  if (!fields.ok) return fields;
  const latency = latencyOf(span, attribute('latency.llm_ms'), attribute('latency.tool_ms'));
  if (!latency.ok) return latency;
  const spanId = optionalId(span['spanId'] ?? span['span_id'], 'spanId');
  if (!spanId.ok) return spanId;
  return {
    ok: true,
    value: {
      event_id: eventId(spanId.value, form),
      run_id: runId.value ?? 'otlp-default',
      turn: turn.value,
      agent_id: agentId.value ?? 'unknown',
      tool_name: tool.value ?? 'unknown',
      action_succeeded: succeeded.value,
      divergence_fields: fields.value,
      failure_classification: classification.value,
      latency_total_ms: latency.value,
    },
  };
}

function optionalId(value: unknown, field: string): Parsed<string | undefined> {
  if (value === undefined || value === null || value === '') return { ok: true, value: undefined };
  return identifier(value, field);
}

function eventId(spanId: string | undefined, form: SpanForm): string {
  if (spanId === undefined) return '';
  if (form === 'flat') return spanId;
  return createHash('md5').update(spanId).digest('hex').slice(0, EVENT_ID_DIGITS);
}

function outcome(span: Readonly<Record<string, unknown>>, attribute: unknown): Parsed<boolean> {
  const declared =
    attribute === undefined || attribute === null ? undefined : flag(attribute, 'action.succeeded');
  if (declared?.ok === false) return declared;
  const status = isObject(span['status']) ? span['status']['code'] : (span['status'] ?? span['status_code']);
  const code = typeof status === 'string' ? status.toUpperCase() : status;
  const known = code === undefined || code === null || OK_CODES.has(code) || ERROR_CODES.has(code);
  if (!known) return refuse('status.code', `expected 0, 1, 2 or their names, got ${kindOf(status)}`);
  return { ok: true, value: !ERROR_CODES.has(code) && (declared?.value ?? true) };
}

function divergence(value: unknown): Parsed<readonly string[]> {
  if (typeof value !== 'string') return textList(value, 'divergence.fields');
  const parts = value.split(',').map((part) => part.trim());
  return { ok: true, value: parts.filter((part) => part !== '') };
}

function latencyOf(span: Readonly<Record<string, unknown>>, llm: unknown, tool: unknown): Parsed<number> {
  const start = nanoseconds(span['startTimeUnixNano']);
  const end = nanoseconds(span['endTimeUnixNano']);
  if (start !== null && end !== null) {
    if (end < start) return refuse('endTimeUnixNano', 'before startTimeUnixNano');
    return { ok: true, value: Number((end - start) / 1_000_000n) };
  }
  const parts = [integer(llm ?? 0, 'latency.llm_ms'), integer(tool ?? 0, 'latency.tool_ms')];
  let total = 0;
  for (const part of parts) {
    if (!part.ok) return part;
    if (part.value < 0) return refuse('latency', `expected at least 0, got ${part.value}`);
    total += part.value;
  }
  return { ok: true, value: total };
}

function nanoseconds(value: unknown): bigint | null {
  if (typeof value === 'string' && /^\d{1,20}$/.test(value)) return BigInt(value);
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return BigInt(value);
  return null;
}
