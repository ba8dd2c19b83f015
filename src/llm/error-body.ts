import { isRecord, parseJson, recordOr, stringOf } from './json.js';

/** What an error answer says, whatever its shape. */
export interface ErrorBody {
  /** One line; empty when the body says nothing. */
  readonly message: string;
  /** Machine words: `code` and `type`, lower-case. */
  readonly words: readonly string[];
  /** The parameter the endpoint objects to. */
  readonly param: string | undefined;
}

/**
 * Reads an error body: `{error: {message, type, code, param}}`, the flat form (`message`, `type`, `code`, `detail` on top,
 * as vLLM writes it), `{error: "text"}`, HTML and plain text.
 */
export function readErrorBody(body: string): ErrorBody {
  const json = parseJson(body);
  if (!json.ok || !isRecord(json.value)) return { message: plainText(body), words: [], param: undefined };
  const top = json.value;
  const inner = isRecord(top['error']) ? top['error'] : top;
  const message =
    stringOf(inner['message']) ??
    stringOf(top['error']) ??
    stringOf(top['message']) ??
    detailText(top['detail']);
  const words = [
    inner['code'],
    recordOr(inner['details'])['error_code'],
    inner['type'],
    inner['status'],
  ].flatMap((word) => (typeof word === 'string' ? [word.toLowerCase()] : []));
  return { message: oneLine(message ?? ''), words, param: stringOf(inner['param']) };
}

function detailText(detail: unknown): string | undefined {
  if (detail === undefined || typeof detail === 'string') return detail;
  return JSON.stringify(detail);
}

function plainText(body: string): string {
  const title = /<title[^>]*>([^<]{1,200})/i.exec(body)?.[1];
  const text = title ?? body.slice(0, 4000).replace(/<[^>]{0,500}>/g, ' ');
  return oneLine(text);
}

function oneLine(text: string): string {
  return text
    .slice(0, 2000)
    .replace(/[\s\u0000-\u001f\u007f]+/g, ' ')
    .trim()
    .slice(0, 300);
}
