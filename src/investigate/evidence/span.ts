import {
  finiteNumber,
  isObject,
  type Json,
  type JsonObject,
  listOr,
  objectsOf,
  text,
} from '../../foreign/json.js';

/** A span as we read it; whatever a tracer wrote in odd form is left out. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly operation: string;
  readonly service: string | null;
  /** Microseconds. */
  readonly startUs: number | null;
  readonly durationUs: number | null;
  readonly tags: JsonObject;
  /** Fields of each event, flattened. */
  readonly events: readonly JsonObject[];
  readonly parents: readonly string[];
}

export interface Trace {
  readonly traceId: string;
  readonly spans: readonly Span[];
  /** Distinct non-empty service names of its processes, sorted. */
  readonly services: readonly string[];
}

const MAX_SPANS = 5000;

/** The traces of an answer of Jaeger's API: `{data: […]}`, one trace, or `{data: trace}`; nothing in it can throw. */
export function parseTraces(value: unknown): Trace[] {
  if (!isObject(value)) return [];
  if (Array.isArray(value['spans'])) return [parseTrace(value)];
  const data = value['data'];
  if (isObject(data)) return Array.isArray(data['spans']) ? [parseTrace(data)] : [];
  return objectsOf(data)
    .filter((trace) => Array.isArray(trace['spans']))
    .map(parseTrace);
}

/** Key → value of a list of tags or fields; the last one of a key wins. */
export function flatten(list: unknown): JsonObject {
  const flat: Record<string, Json> = {};
  for (const entry of objectsOf(list)) {
    const key = text(entry['key']);
    if (key !== undefined) flat[key] = entry['value'] ?? null;
  }
  return flat;
}

function parseTrace(value: JsonObject): Trace {
  const processes = isObject(value['processes']) ? value['processes'] : {};
  const serviceOf = (id: unknown): string | null => {
    const process = typeof id === 'string' ? processes[id] : undefined;
    const name = isObject(process) ? text(process['serviceName']) : undefined;
    return name === undefined || name === '' ? null : name;
  };
  const traceId = text(value['traceID']) ?? '';
  const services = Object.keys(processes).flatMap((id) => serviceOf(id) ?? []);
  return {
    traceId,
    services: [...new Set(services)].sort(),
    spans: objectsOf(value['spans'])
      .slice(0, MAX_SPANS)
      .map((span) => ({
        traceId: text(span['traceID']) ?? traceId,
        spanId: text(span['spanID']) ?? '',
        operation: text(span['operationName']) ?? '',
        service: serviceOf(span['processID']),
        startUs: finiteNumber(span['startTime']) ?? null,
        durationUs: finiteNumber(span['duration']) ?? null,
        tags: flatten(span['tags']),
        events: objectsOf(span['logs']).map((log) => flatten(log['fields'])),
        parents: listOr(span['references'])
          .filter(isObject)
          .flatMap((reference) => text(reference['spanID']) ?? []),
      })),
  };
}
