import type { Json, JsonObject } from '../../foreign/json.js';
import type { EvidenceItem } from '../model/evidence.js';
import { serviceEntity } from './entities.js';
import { fingerprintById, matchTexts } from './fingerprints.js';
import { framesOfText } from './frames.js';
import type { Span, Trace } from './span.js';

type Parts = Pick<Span, 'tags' | 'events'>;

const TRUE_TAGS: readonly unknown[] = [true, 'true', 'True', 1, '1'];
const REFERENCE_STATUS: readonly unknown[] = ['ERROR', 'error', '2'];
const BAD_LEVELS = new Set(['error', 'fatal', 'critical']);
const FILE_KEYS = ['code.filepath', 'code.file.path', 'file', 'filename', 'source.file'] as const;
const HTTP_KEYS = ['http.status_code', 'http.response.status_code'] as const;
const GRPC_KEY = 'rpc.grpc.status_code';
const NO_ERROR: readonly unknown[] = ['false', '0', ''];

/** An error span as the reference decides it (spec 07 A3.1). */
export function isErrorSpanReference({ tags, events }: Parts): boolean {
  if (TRUE_TAGS.includes(tags['error']) || REFERENCE_STATUS.includes(tags['otel.status_code'])) return true;
  if ('exception.type' in tags || 'exception.message' in tags) return true;
  return events.some(
    (event) => hasBadLevel(event) || isTruthy(event['exception.type']) || isTruthy(event['error']),
  );
}

/** An error span: the reference's, and failed HTTP and gRPC statuses (spec 07 B4.1). */
export function isErrorSpan({ tags, events }: Parts): boolean {
  const cleaned = events.map((event) =>
    NO_ERROR.includes(event['error'])
      ? Object.fromEntries(Object.entries(event).filter(([key]) => key !== 'error'))
      : event,
  );
  if (isErrorSpanReference({ tags, events: cleaned })) return true;
  const status = tags['otel.status_code'];
  if (status === 2 || (typeof status === 'string' && status.toLowerCase() === 'error')) return true;
  if (HTTP_KEYS.some((key) => (numberOf(tags[key]) ?? 0) >= 500)) return true;
  const grpc = tags[GRPC_KEY];
  return grpc !== undefined && grpc !== null && grpc !== '' && numberOf(grpc) !== 0;
}

/** Where a span says it happened, as `path:line` or `path`, with the reference's keys (spec 07 A3.1). */
export function fileHintReference({ tags, events }: Parts): string | null {
  return hint(tags, events, ['code.lineno', 'line']);
}

/** The same with the newer key for the line (spec 07 B4.1). */
export function fileHint({ tags, events }: Parts): string | null {
  return hint(tags, events, ['code.lineno', 'code.line.number', 'line']);
}

/** Error spans that no other error span of the trace names as its parent: where a failure began (spec 07 B4.1). */
export function failingOrigins(trace: Trace): Span[] {
  const failing = trace.spans.filter(isErrorSpan);
  const parents = new Set(failing.flatMap(({ parents: of }) => of));
  return failing.filter(({ spanId }) => !parents.has(spanId));
}

/** What a span says in words (spec 07 B4.1). */
export function textsOf({ tags, events }: Parts): string[] {
  const own = ['exception.message', 'otel.status_description', 'grpc.error_message'].map((key) => tags[key]);
  const logged = events.flatMap((event) => [
    event['exception.message'],
    firstLine(event['exception.stacktrace']),
  ]);
  return [...own, ...logged].filter((one): one is string => typeof one === 'string' && one !== '');
}

/** The signal item of a failing origin. */
export function originItem(span: Span): EvidenceItem {
  const texts = textsOf(span);
  const hit = matchTexts(texts);
  const isUnavailable = numberOf(span.tags[GRPC_KEY]) === 14;
  const byStatus = isUnavailable ? (fingerprintById('grpc_unavailable')?.id ?? null) : null;
  const stacks = [span.tags, ...span.events].flatMap((from) => from['exception.stacktrace'] ?? []);
  return {
    key: `span:${span.traceId}:${span.spanId}`,
    cls: 'trace',
    tsUnix: span.startUs === null ? null : span.startUs / 1e6,
    entities: span.service === null ? [] : serviceEntity(span.service),
    fingerprint: hit?.fingerprint.id ?? byStatus,
    kind: null,
    text: hit?.line ?? texts[0] ?? null,
    frames: stacks.flatMap((stack) => (typeof stack === 'string' ? framesOfText(stack) : [])),
    fileHint: fileHint(span),
    source: `trace:${span.traceId}`,
    line: null,
  };
}

function hint(tags: JsonObject, events: readonly JsonObject[], lineKeys: readonly string[]): string | null {
  const file = firstPath(tags);
  if (file !== null) {
    const line = lineKeys.map((key) => tags[key]).find(isTruthy);
    return line === undefined ? file : `${file}:${String(line)}`;
  }
  return events.map(firstPath).find((path) => path !== null) ?? null;
}

function firstPath(from: JsonObject): string | null {
  const found = FILE_KEYS.map((key) => from[key]).find((value) => typeof value === 'string' && value !== '');
  return typeof found === 'string' ? found : null;
}

function hasBadLevel(event: JsonObject): boolean {
  const level = event['level'] ?? event['severity'];
  return typeof level === 'string' && BAD_LEVELS.has(level.toLowerCase());
}

function isTruthy(value: Json | undefined): boolean {
  return value !== undefined && value !== null && value !== false && value !== 0 && value !== '';
}

function numberOf(value: Json | undefined): number | null {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : null;
}

function firstLine(value: Json | undefined): string | null {
  return typeof value === 'string' ? (value.split('\n', 1)[0] ?? null) : null;
}
