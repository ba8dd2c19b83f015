import type { JsonObject } from '../../../foreign/json.js';
import { failingOrigins, isErrorSpan, originItem } from '../../evidence/error-span.js';
import { slowItem, slowSpans } from '../../evidence/slow-spans.js';
import { parseTraces, type Trace } from '../../evidence/span.js';
import type { HttpClient } from '../../safety/http-client.js';
import { numberOf, optionalNumber, optionalString, stringOf } from '../arguments.js';
import { failed, type Tool } from '../tool.js';

/** `query_traces` (spec 07 A3.1, B4.1). */
export function queryTraces(http: HttpClient): Tool {
  return {
    name: 'query_traces',
    capability: 'jaeger',
    family: 'jaeger',
    description: 'Traces of a service, failing ones first, with how many spans fail or are slow in each.',
    parameters: {
      service: { type: 'string', doc: 'name as list_trace_services gives it' },
      time_window_minutes: { type: 'integer', default: 10, minimum: 1, maximum: 1440, doc: 'how far back' },
      limit: { type: 'integer', default: 20, minimum: 1, maximum: 50, doc: 'traces' },
      end_unix: { type: 'number', optional: true, doc: 'end of the window; now when left out' },
      only_errors: {
        type: 'boolean',
        default: false,
        doc: 'only traces with a failing span of this service',
      },
      operation: { type: 'string', optional: true, doc: 'only this operation' },
      min_duration_ms: {
        type: 'number',
        optional: true,
        minimum: 0,
        doc: 'only traces that took at least this',
      },
    },
    async run(args, { signal, now, clean }) {
      const service = stringOf(args, 'service');
      const minutes = numberOf(args, 'time_window_minutes', 10);
      const endUnix = Math.min(optionalNumber(args, 'end_unix') ?? now(), now());
      const startUnix = endUnix - minutes * 60;
      const duration = optionalNumber(args, 'min_duration_ms');
      const answer = await http.get(
        {
          path: ['api', 'traces'],
          query: {
            service,
            start: Math.round(startUnix * 1e6),
            end: Math.round(endUnix * 1e6),
            limit: numberOf(args, 'limit', 20),
            operation: optionalString(args, 'operation'),
            minDuration: duration === undefined ? undefined : `${duration}ms`,
            tags: args['only_errors'] === true ? JSON.stringify({ error: 'true' }) : undefined,
          },
        },
        signal,
      );
      if (!answer.ok) return failed('error', answer.problem);
      const traces = parseTraces(answer.body).filter(({ spans }) => spans.length > 0);
      const slow = slowSpans(traces);
      const failing = traces.filter(({ spans }) => spans.some(isErrorSpan));
      const origins = failing.flatMap(failingOrigins);
      const sorted = [...failing, ...traces.filter((trace) => !failing.includes(trace))];
      const isEmpty = traces.length === 0;
      return {
        status: isEmpty ? 'empty' : 'ok',
        cls: 'trace',
        data: {
          service,
          time_window_minutes: minutes,
          trace_count: traces.length,
          traces: sorted.map((trace) =>
            summary(
              trace,
              slow.map(({ spanId }) => spanId),
              clean,
            ),
          ),
        },
        count: traces.length,
        services: [service],
        failingServices: origins.flatMap((span) => span.service ?? []),
        items: [...origins.map(originItem), ...slow.map(slowItem)],
        listing: { service, startUnix, endUnix, listed: traces.length, failing: failing.length },
        errorSignal: origins.length > 0 ? 'error_spans_present' : 'slow_spans_present',
        window: { startUnix, endUnix },
        ...(isEmpty
          ? {
              note: `no trace of ${service} in ${minutes} minutes: the window may be too narrow (try 30 or 60), or the name is another (see list_trace_services, then query_traces again); guessing variants of it is pointless`,
            }
          : {}),
      };
    },
  };
}

function summary(
  { traceId, spans, services }: Trace,
  slow: readonly string[],
  clean: (line: string) => string,
): JsonObject {
  const starts = spans.flatMap(({ startUs }) => startUs ?? []);
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const root = spans.find(({ parents }) => !parents.some((parent) => ids.has(parent)));
  return {
    trace_id: traceId,
    span_count: spans.length,
    services: services.map(clean),
    error_spans: spans.filter(isErrorSpan).map(({ spanId }) => spanId),
    start_time: starts.length === 0 ? null : Math.min(...starts),
    duration: root?.durationUs ?? null,
    root_operation: root === undefined ? null : clean(root.operation),
    slow_spans: spans.map(({ spanId }) => spanId).filter((id) => slow.includes(id)),
  };
}
