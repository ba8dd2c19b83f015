import type { JsonObject } from '../../../foreign/json.js';
import { failingOrigins, fileHint, isErrorSpan, originItem, textsOf } from '../../evidence/error-span.js';
import { parseTraces, type Span } from '../../evidence/span.js';
import type { HttpClient } from '../../safety/http-client.js';
import { userField } from '../../safety/text-hygiene.js';
import { stringOf, stringsOf } from '../arguments.js';
import { nameList } from '../name-list.js';
import { failed, type Tool, type ToolContext, type ToolOutcome } from '../tool.js';
import { queryTraces } from './query-traces.js';

const TRACE_ID = /^[0-9a-f]{1,32}$/i;
const MAX_TAGS = 20;
const MAX_SPANS = 200;
const USER_TAGS = /user_?agent|url|query|request\.body|http\.target|enduser/i;

/** The tools of a Jaeger query API. */
export function jaegerTools(http: HttpClient): Tool[] {
  return [listTraceServices(http), queryTraces(http), getTrace(http), extractErrorSpans(http)];
}

function listTraceServices(http: HttpClient): Tool {
  return {
    name: 'list_trace_services',
    capability: 'jaeger',
    family: 'other',
    description: 'Names of the services that have traces.',
    parameters: {},
    async run(_args, { signal, clean }) {
      const answer = await http.get({ path: ['api', 'services'] }, signal);
      return answer.ok ? nameList(answer.body, clean) : failed('error', answer.problem);
    },
  };
}

function getTrace(http: HttpClient): Tool {
  return {
    name: 'get_trace',
    capability: 'jaeger',
    family: 'jaeger',
    description: 'One trace as a pruned tree of spans.',
    parameters: { trace_id: { type: 'string', maxLength: 32, doc: '1 to 32 hex digits' } },
    async run(args, context) {
      const id = stringOf(args, 'trace_id');
      if (!TRACE_ID.test(id)) return failed('denied', 'a trace id has 1 to 32 hex digits');
      const read = await fetchTraces(http, [id], context.signal);
      if (read.problem !== null) return failed('error', read.problem);
      const spans = read.traces.flatMap((trace) => trace.spans);
      return tracesOutcome(read.traces, {
        trace_id: id,
        spans: spans.slice(0, MAX_SPANS).map((span) => shown(span, context)),
        ...(spans.length > MAX_SPANS ? { spans_left_out: spans.length - MAX_SPANS } : {}),
      });
    },
  };
}

function extractErrorSpans(http: HttpClient): Tool {
  return {
    name: 'extract_error_spans',
    capability: 'jaeger',
    family: 'jaeger',
    description:
      'The failing spans of one to five traces, and where each failure began. The tool fetches the traces itself.',
    parameters: { trace_ids: { type: 'strings', maxItems: 5, doc: 'trace ids of 1 to 32 hex digits' } },
    async run(args, context) {
      const ids = stringsOf(args, 'trace_ids');
      if (!ids.every((id) => TRACE_ID.test(id))) return failed('denied', 'a trace id has 1 to 32 hex digits');
      const read = await fetchTraces(http, ids, context.signal);
      if (read.traces.length === 0 && read.problem !== null) return failed('error', read.problem);
      const failing = read.traces.flatMap(({ spans }) => spans.filter(isErrorSpan));
      const origins = new Set(read.traces.flatMap(failingOrigins));
      const originServices = [...new Set([...origins].flatMap(({ service }) => service ?? []))];
      return tracesOutcome(read.traces, {
        error_span_count: failing.length,
        error_spans: failing
          .slice(0, MAX_SPANS)
          .map((span) => ({ ...shown(span, context), is_origin: origins.has(span) })),
        origin_services: originServices.map(context.clean),
      });
    },
  };
}

type Traces = ReturnType<typeof parseTraces>;

async function fetchTraces(
  http: HttpClient,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<{ traces: Traces; problem: string | null }> {
  const traces: Traces = [];
  let problem: string | null = null;
  for (const id of ids) {
    const answer = await http.get({ path: ['api', 'traces', id] }, signal);
    if (answer.ok) traces.push(...parseTraces(answer.body));
    else if (answer.status !== 404) problem = answer.problem;
  }
  return { traces, problem };
}

function tracesOutcome(traces: Traces, data: JsonObject): ToolOutcome {
  const origins = traces.flatMap(failingOrigins);
  const isEmpty = traces.every(({ spans }) => spans.length === 0);
  return {
    status: isEmpty ? 'empty' : 'ok',
    cls: 'trace',
    data,
    count: traces.length,
    services: traces.flatMap(({ services }) => services),
    failingServices: origins.flatMap(({ service }) => service ?? []),
    items: origins.map(originItem),
    errorSignal: 'error_spans_present',
    ...(isEmpty ? { note: 'there is no such trace' } : {}),
  };
}

function shown(span: Span, { clean }: ToolContext): JsonObject {
  const hint = fileHint(span);
  const symbol = [span.tags['code.namespace'], span.tags['code.function']].filter(
    (part) => typeof part === 'string',
  );
  return {
    trace_id: span.traceId,
    span_id: span.spanId,
    parent: span.parents[0] ?? null,
    service: span.service === null ? null : clean(span.service),
    operation: clean(span.operation),
    start_time: span.startUs,
    duration: span.durationUs,
    is_error: isErrorSpan(span),
    texts: textsOf(span).map(clean),
    tags: tagsOf(span, clean),
    ...(hint === null ? {} : { file_hint: clean(hint) }),
    ...(symbol.length === 0 ? {} : { symbol_hint: clean(symbol.join('.')) }),
    events: span.events.slice(0, 10).map((event) => ({
      ...Object.fromEntries(
        ['level', 'event', 'message', 'exception.type', 'exception.message', 'exception.stacktrace'].flatMap(
          (key) => {
            const value = event[key];
            return typeof value === 'string'
              ? [[key, value.split('\n').slice(0, 30).map(clean).join('\n')]]
              : [];
          },
        ),
      ),
    })),
  };
}

function tagsOf({ tags }: Span, clean: (line: string) => string): JsonObject {
  const scalar = Object.entries(tags).filter(([, value]) => value !== null && typeof value !== 'object');
  return Object.fromEntries(
    scalar.slice(0, MAX_TAGS).map(([key, value]) => {
      if (typeof value !== 'string') return [key, value];
      const text = clean(value);
      return [key, USER_TAGS.test(key) ? userField(text) : text];
    }),
  );
}
