import { type JsonObject, listOr, objectOr, objectsOf } from '../../../foreign/json.js';
import { ERROR_WORDS } from '../../engine/error-words.js';
import { serviceEntity } from '../../evidence/entities.js';
import { logItems } from '../../evidence/log-items.js';
import { TemplateCounter } from '../../evidence/log-templates.js';
import { buildLogql, buildLogqlAnyOf } from '../../evidence/logql.js';
import { parseTimestampNs } from '../../evidence/timestamp-ns.js';
import type { FetchedLine } from '../../model/evidence.js';
import type { HttpClient } from '../../safety/http-client.js';
import { withoutKeys } from '../../safety/key-blocks.js';
import { numberOf, optionalNumber, stringOf, stringsOf } from '../arguments.js';
import { nameList } from '../name-list.js';
import { failed, type Tool, type ToolContext, type ToolOutcome } from '../tool.js';

/** Labels tried after the configured one when it has no values (spec 07 B4.1). */
const FALLBACK_LABELS = ['service_name', 'app', 'container'] as const;

/** The tools of a Loki query API. */
export function lokiTools(http: HttpClient, label: string): Tool[] {
  const chosen = { label };
  return [listLogServices(http, chosen), queryLogs(http, chosen), getLogContext(http, chosen)];
}

interface ChosenLabel {
  label: string;
}

function listLogServices(http: HttpClient, chosen: ChosenLabel): Tool {
  return {
    name: 'list_log_services',
    capability: 'loki',
    family: 'other',
    description: 'Names of the services that have logs.',
    parameters: {},
    async run(_args, { signal, clean }) {
      let last = failed('error', 'no label was asked for');
      for (const label of new Set([chosen.label, ...FALLBACK_LABELS])) {
        const answer = await http.get({ path: ['loki', 'api', 'v1', 'label', label, 'values'] }, signal);
        if (!answer.ok) return failed('error', answer.problem);
        last = nameList(answer.body, clean);
        if (last.status !== 'ok') continue;
        chosen.label = label;
        return last;
      }
      return last;
    },
  };
}

function queryLogs(http: HttpClient, chosen: ChosenLabel): Tool {
  return {
    name: 'query_logs',
    capability: 'loki',
    family: 'loki',
    description:
      'Log lines of a service, newest first, and how often those come that differ only in numbers. Ask without a filter first; "@errors" as query means the usual words of failure.',
    parameters: {
      service: { type: 'string', doc: 'name as list_log_services gives it' },
      query: { type: 'string', default: '', doc: 'literal text in the line' },
      any_of: { type: 'strings', maxItems: 8, optional: true, doc: 'any of these texts, in any letter case' },
      time_window_minutes: { type: 'integer', default: 10, minimum: 1, maximum: 1440, doc: 'how far back' },
      limit: { type: 'integer', default: 100, minimum: 1, maximum: 500, doc: 'lines' },
      end_unix: { type: 'number', optional: true, doc: 'end of the window; now when left out' },
    },
    async run(args, context) {
      const service = stringOf(args, 'service');
      const minutes = numberOf(args, 'time_window_minutes', 10);
      const endUnix = Math.min(optionalNumber(args, 'end_unix') ?? context.now(), context.now());
      const startUnix = endUnix - minutes * 60;
      const { logql, query, warning } = filterOf(args, service, chosen.label);
      const read = await queryRange(http, context, service, {
        query: logql,
        start: nanoseconds(startUnix),
        // The end is exclusive there.
        end: nanoseconds(endUnix) + 1n,
        limit: numberOf(args, 'limit', 100),
        direction: 'backward',
      });
      if (!read.ok) return failed('error', read.problem);
      const templates = new TemplateCounter();
      for (const { text, tsUnix } of read.lines) templates.add(text, tsUnix);
      const outcome = linesOutcome(service, read.lines, {
        service,
        query,
        logql,
        time_window_minutes: minutes,
        streams: read.streams,
        templates: templates.rows(context.clean),
      });
      const advice = `no line of ${service} in ${minutes} minutes: the window may be too narrow (try 30 or 60), or the name is another (see list_log_services)`;
      const note = [warning, outcome.status === 'empty' ? advice : null]
        .filter((one) => one !== null)
        .join('; ');
      return { ...outcome, window: { startUnix, endUnix }, ...(note === '' ? {} : { note }) };
    },
  };
}

function getLogContext(http: HttpClient, chosen: ChosenLabel): Tool {
  return {
    name: 'get_log_context',
    capability: 'loki',
    family: 'loki',
    description: 'Log lines of a service before and after a moment, oldest first.',
    parameters: {
      timestamp: { type: 'string', maxLength: 64, doc: 'ISO 8601, or a number of seconds, ms, µs or ns' },
      service: { type: 'string', doc: 'name as list_log_services gives it' },
      lines: { type: 'integer', default: 20, minimum: 1, maximum: 200, doc: 'lines in all' },
      context_s: {
        type: 'integer',
        default: 30,
        minimum: 1,
        maximum: 300,
        doc: 'seconds before and after at most',
      },
    },
    async run(args, context) {
      const service = stringOf(args, 'service');
      const moment = parseTimestampNs(stringOf(args, 'timestamp'));
      if (moment === null) return failed('error', 'the timestamp cannot be read');
      const reach = BigInt(numberOf(args, 'context_s', 30)) * 1_000_000_000n;
      const count = numberOf(args, 'lines', 20);
      const query = buildLogql(service, '', chosen.label);
      const half = Math.ceil(count / 2);
      const before = await queryRange(http, context, service, {
        query,
        start: moment - reach,
        end: moment + 1n,
        limit: half,
        direction: 'backward',
      });
      if (!before.ok) return failed('error', before.problem);
      const after =
        count - half === 0
          ? { ok: true as const, lines: [], streams: [] }
          : await queryRange(http, context, service, {
              query,
              start: moment + 1n,
              end: moment + reach + 1n,
              limit: count - half,
              direction: 'forward',
            });
      if (!after.ok) return failed('error', after.problem);
      const data = { service, timestamp: stringOf(args, 'timestamp'), logql: query, streams: before.streams };
      return linesOutcome(service, [...before.lines, ...after.lines], data, true);
    },
  };
}

interface Range {
  readonly query: string;
  readonly start: bigint;
  readonly end: bigint;
  readonly limit: number;
  readonly direction: 'backward' | 'forward';
}

type RangeRead =
  | { readonly ok: true; readonly lines: readonly FetchedLine[]; readonly streams: readonly JsonObject[] }
  | { readonly ok: false; readonly problem: string };

async function queryRange(
  http: HttpClient,
  { signal, clean }: ToolContext,
  service: string,
  range: Range,
): Promise<RangeRead> {
  const query = { ...range, start: range.start.toString(), end: range.end.toString() };
  const answer = await http.get({ path: ['loki', 'api', 'v1', 'query_range'], query }, signal);
  if (!answer.ok) return { ok: false, problem: answer.problem };
  const results = objectsOf(objectOr(objectOr(answer.body)['data'])['result']);
  const timed = results.flatMap((result) =>
    listOr(result['values']).flatMap((pair) => {
      const [stamp, line] = listOr(pair);
      if (typeof stamp !== 'string' || !/^\d{1,20}$/.test(stamp) || typeof line !== 'string') return [];
      return [{ ns: BigInt(stamp), tsUnix: Number(stamp) / 1e9, line }];
    }),
  );
  timed.sort((a, b) => (a.ns < b.ns ? -1 : a.ns > b.ns ? 1 : 0));
  const texts = withoutKeys(timed.map(({ line }) => line)).map(clean);
  return {
    ok: true,
    lines: timed.map(({ tsUnix }, index) => ({
      source: service,
      line: null,
      tsUnix,
      text: texts[index] ?? '',
    })),
    // Once per stream, not once per line.
    streams: results.slice(0, 20).map((result) => objectOr(result['stream'])),
  };
}

/** Lines come in time order, so that a stack trace is one run of lines. */
function linesOutcome(
  service: string,
  lines: readonly FetchedLine[],
  data: JsonObject,
  isAscending = false,
): ToolOutcome {
  const entries = lines.map(({ tsUnix, text }) => ({ ts_unix: tsUnix, line: text }));
  return {
    status: lines.length === 0 ? 'empty' : 'ok',
    cls: 'log',
    data: { ...data, entries: isAscending ? entries : entries.reverse() },
    count: lines.length,
    services: [service],
    lines,
    items: logItems(lines, serviceEntity(service)),
    errorSignal: 'error_lines_present',
  };
}

function filterOf(args: Parameters<Tool['run']>[0], service: string, label: string) {
  const query = stringOf(args, 'query');
  if (query === '@errors')
    return { logql: buildLogqlAnyOf(service, ERROR_WORDS, label), query, warning: null };
  const words = stringsOf(args, 'any_of');
  if (words.length > 0) return { logql: buildLogqlAnyOf(service, words, label), query, warning: null };
  const parts = query
    .split(/\s+OR\s+/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (parts.length < 2) return { logql: buildLogql(service, query, label), query, warning: null };
  const warning = 'OR is literal in a log query; it was split into any_of';
  return { logql: buildLogqlAnyOf(service, parts.slice(0, 8), label), query, warning };
}

function nanoseconds(unix: number): bigint {
  return BigInt(Math.round(unix * 1e6)) * 1000n;
}
