import { isObject } from '../../foreign/json.js';
import type { TraceEvent } from './event.js';
import { type Attributes, NO_ATTRIBUTES, readAttributes } from './otlp-attributes.js';
import { type SpanForm, spanToEvent } from './otlp-span.js';
import { kindOf } from './parse-event.js';

/** Called once per span that is one, and once per part of the document that is not. */
export interface DocumentSink {
  onEvent(event: TraceEvent): void;
  onProblem(field: string, reason: string): void;
}

/**
 * Walks one OTLP JSON document: an array of spans, an object with `spans`, or an export request with `resourceSpans`
 * (spec 06 D.2). A part that is malformed is reported by its path; the others are still read.
 */
export function walkOtlp(document: unknown, sink: DocumentSink): void {
  if (Array.isArray(document)) {
    walkSpans(document, NO_ATTRIBUTES, 'flat', '', sink);
    return;
  }
  if (!isObject(document)) {
    sink.onProblem('', `expected spans, got ${kindOf(document)}`);
    return;
  }
  const { resourceSpans, spans } = document;
  if (resourceSpans === undefined && spans === undefined) {
    sink.onProblem('', 'expected an array of spans, or an object with `spans` or `resourceSpans`');
    return;
  }
  if (spans !== undefined) walkSpans(spans, NO_ATTRIBUTES, 'flat', 'spans', sink);
  if (resourceSpans === undefined) return;
  eachObject(resourceSpans, 'resourceSpans', sink, (group, path) => walkResource(group, path, sink));
}

function walkResource(group: Readonly<Record<string, unknown>>, path: string, sink: DocumentSink): void {
  const resource = isObject(group['resource']) ? group['resource']['attributes'] : undefined;
  const attributes = readAttributes(resource, `${path}.resource.attributes`);
  if (!attributes.ok) {
    sink.onProblem(attributes.field, attributes.reason);
    return;
  }
  eachObject(group['scopeSpans'] ?? [], `${path}.scopeSpans`, sink, (scope, scopePath) => {
    walkSpans(scope['spans'] ?? [], attributes.value, 'otlp', `${scopePath}.spans`, sink);
  });
}

function walkSpans(
  spans: unknown,
  resource: Attributes,
  form: SpanForm,
  path: string,
  sink: DocumentSink,
): void {
  walkList(spans, path, sink, (list) => {
    for (const [index, span] of list.entries()) {
      const parsed = spanToEvent(span, resource, form);
      if (parsed.ok) sink.onEvent(parsed.value);
      else sink.onProblem(`${path}[${index}]${parsed.field === '' ? '' : `.${parsed.field}`}`, parsed.reason);
    }
  });
}

function eachObject(
  value: unknown,
  path: string,
  sink: DocumentSink,
  visit: (item: Readonly<Record<string, unknown>>, path: string) => void,
): void {
  walkList(value, path, sink, (list) => {
    for (const [index, item] of list.entries()) {
      const itemPath = `${path}[${index}]`;
      if (isObject(item)) visit(item, itemPath);
      else sink.onProblem(itemPath, `expected an object, got ${kindOf(item)}`);
    }
  });
}

function walkList(
  value: unknown,
  path: string,
  sink: DocumentSink,
  visit: (list: readonly unknown[]) => void,
): void {
  if (Array.isArray(value)) visit(value);
  else sink.onProblem(path, `expected an array, got ${kindOf(value)}`);
}
