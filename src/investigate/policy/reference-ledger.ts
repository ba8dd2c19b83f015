import { isObject, type Json, type JsonObject, listOr, objectsOf, text } from '../../foreign/json.js';

/** A receipt as the reference stamps it (spec 07 A8). */
export type ReferenceReceipt = {
  readonly tool: string;
  readonly family: 'jaeger' | 'loki' | 'github' | 'other';
  readonly success: boolean;
  readonly service: string | null;
  readonly file_path: string | null;
  readonly error_signal: string | null;
};

/** What a tool gave: a `ToolResult`, or whatever else. */
export type ReferenceResult =
  | { readonly tool_result: { readonly success: boolean; readonly data: JsonObject } }
  | { readonly raw: Json };

type Read = Pick<ReferenceReceipt, 'success' | 'service' | 'file_path' | 'error_signal'>;

const FAMILIES: Readonly<Record<string, ReferenceReceipt['family']>> = {
  query_traces: 'jaeger',
  get_trace: 'jaeger',
  extract_error_spans: 'jaeger',
  query_logs: 'loki',
  get_log_context: 'loki',
  search_code: 'github',
  get_file_contents: 'github',
  get_file_slice: 'github',
  list_files: 'github',
  create_or_update_file: 'github',
  push_files: 'github',
};
const ERROR_WORDS = /error|fail|exception|unavailable/i;
const NOTHING = { service: null, file_path: null, error_signal: null } as const;

export function familyOf(tool: string): ReferenceReceipt['family'] {
  return Object.hasOwn(FAMILIES, tool) ? (FAMILIES[tool] ?? 'other') : 'other';
}

/** The receipt of one call under the reference's rules; its weaknesses are kept (spec 07 A17). */
export function referenceReceipt(tool: string, args: JsonObject, result: ReferenceResult): ReferenceReceipt {
  const family = familyOf(tool);
  const read = { jaeger, loki, github, other }[family];
  return { tool, family, ...read(args, result) };
}

function jaeger(_args: JsonObject, result: ReferenceResult): Read {
  if ('raw' in result) return { ...NOTHING, success: !mentions(result.raw, /failed/i) };
  const { success, data } = result.tool_result;
  const spans = objectsOf(data['error_spans']);
  const hints = spans.flatMap((span) => nonEmpty(span['file_hint']));
  const services = spans.flatMap((span) => nonEmpty(span['service']));
  const named = [...nonEmpty(data['service']), ...nonEmpty(data['serviceName'])][0];
  return {
    ...NOTHING,
    success,
    file_path: hints.at(-1)?.split(':', 1)[0] ?? null,
    service: services.at(-1) ?? named ?? null,
  };
}

function loki(args: JsonObject, result: ReferenceResult): Read {
  const selector = [args['query'], args['logql']].flatMap((query) =>
    typeof query === 'string' ? (/compose_service="([^"]*)"/.exec(query)?.[1] ?? []) : [],
  )[0];
  const service = selector ?? nonEmpty(args['service'])[0] ?? null;
  if ('raw' in result) return { ...NOTHING, service, success: !mentions(result.raw, /failed/i) };
  const { success, data } = result.tool_result;
  const hasErrors = listOr(data['lines']).some((line) => typeof line === 'string' && ERROR_WORDS.test(line));
  return { ...NOTHING, service, success, error_signal: hasErrors ? 'error_lines_present' : null };
}

function github(args: JsonObject, result: ReferenceResult): Read {
  const asked = [...nonEmpty(args['path']), ...nonEmpty(args['file_path'])][0] ?? null;
  if ('tool_result' in result) {
    const { success, data } = result.tool_result;
    return { ...NOTHING, success, file_path: nonEmpty(data['path'])[0] ?? asked };
  }
  const { raw } = result;
  if (typeof raw === 'string') {
    const path = /"path": "([^"]*)"/.exec(raw)?.[1];
    return { ...NOTHING, success: !/failed|not found/i.test(raw), file_path: path ?? asked };
  }
  if (!isObject(raw)) return { ...NOTHING, success: true, file_path: asked };
  const path = [...nonEmpty(raw['path']), ...nonEmpty(raw['name'])][0];
  return { ...NOTHING, success: !raw['error'], file_path: path ?? asked };
}

function other(_args: JsonObject, result: ReferenceResult): Read {
  return { ...NOTHING, success: !('tool_result' in result) || result.tool_result.success };
}

function mentions(raw: Json, word: RegExp): boolean {
  return typeof raw === 'string' && word.test(raw);
}

function nonEmpty(value: Json | undefined): string[] {
  const found = text(value);
  return found === undefined || found === '' ? [] : [found];
}
