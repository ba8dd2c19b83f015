import { isObject, type Json, type JsonObject } from '../../foreign/json.js';

/** A recorded call as it comes in (spec 08 §2.1, §22); unknown keys are dropped. */
export type Trace = {
  readonly trace_uid: string | null;
  readonly prompt_id: string;
  readonly prompt_sha256: string | null;
  readonly prompt_version: number | null;
  readonly session_id: string | null;
  readonly case_id: string | null;
  readonly group_id: string | null;
  readonly segment: string | null;
  readonly task_id: string;
  readonly task_input: string;
  readonly steps: readonly Json[];
  readonly final_output: string;
  /** Null until a label says what was right. */
  readonly expected_output: string | null;
  readonly success: boolean | null;
  readonly failure_reason: string | null;
  readonly timestamp: string;
  readonly metadata: JsonObject;
  readonly model: string | null;
  readonly label_source: string | null;
  readonly error: string | null;
  readonly input_tokens?: number | null;
  readonly output_tokens?: number | null;
  /** Milliseconds. */
  readonly latency_ms?: number | null;
};

/** The trace, or what is wrong with it. */
export type TraceReading =
  | { readonly ok: true; readonly trace: Trace }
  | { readonly ok: false; readonly problem: string };

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})$/;
const REQUIRED = ['task_id', 'task_input', 'final_output'] as const;
const OPTIONAL = [
  'trace_uid',
  'prompt_sha256',
  'session_id',
  'case_id',
  'group_id',
  'segment',
  'expected_output',
  'failure_reason',
  'model',
  'label_source',
  'error',
] as const;

/** Reads one trace object; the prompt id is taken where the trace names none. */
export function parseTrace(raw: unknown, promptId: string): TraceReading {
  if (!isObject(raw)) return bad('a trace must be an object');
  for (const name of REQUIRED) if (typeof raw[name] !== 'string') return bad(`${name} must be a string`);
  for (const name of OPTIONAL) {
    if (raw[name] !== undefined && raw[name] !== null && typeof raw[name] !== 'string') {
      return bad(`${name} must be a string or null`);
    }
  }
  const { success = null, timestamp, steps = null, metadata = {}, prompt_version: version = null } = raw;
  if (success !== null && typeof success !== 'boolean') return bad('success must be true, false or null');
  if (typeof timestamp !== 'string' || !TIME.test(timestamp) || Number.isNaN(Date.parse(timestamp))) {
    return bad('timestamp must be a date and time with a zone');
  }
  if (steps !== null && !Array.isArray(steps)) return bad('steps must be a list');
  if (!isObject(metadata)) return bad('metadata must be an object');
  if (version !== null && (typeof version !== 'number' || !Number.isSafeInteger(version))) {
    return bad('prompt_version must be a whole number');
  }
  const expected = raw['expected_output'];
  if (success !== null && typeof expected !== 'string') return bad('success needs expected_output');
  const optional = (name: (typeof OPTIONAL)[number]): string | null => {
    const value = raw[name];
    return typeof value === 'string' ? value : null;
  };
  const required = (name: (typeof REQUIRED)[number]): string => String(raw[name]);
  return {
    ok: true,
    trace: {
      trace_uid: optional('trace_uid'),
      prompt_id: typeof raw['prompt_id'] === 'string' ? raw['prompt_id'] : promptId,
      prompt_sha256: optional('prompt_sha256'),
      prompt_version: version,
      session_id: optional('session_id'),
      case_id: optional('case_id'),
      group_id: optional('group_id'),
      segment: optional('segment'),
      task_id: required('task_id'),
      task_input: required('task_input'),
      steps: Array.isArray(steps) ? steps : [],
      final_output: required('final_output'),
      expected_output: optional('expected_output'),
      success,
      failure_reason: optional('failure_reason'),
      timestamp: new Date(timestamp).toISOString(),
      metadata,
      model: optional('model'),
      label_source: optional('label_source'),
      error: optional('error'),
    },
  };
}

function bad(problem: string): TraceReading {
  return { ok: false, problem };
}
