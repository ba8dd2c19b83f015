import { isObject, type JsonObject, parseJson } from '../../foreign/json.js';

const MAX_CHARS = 64 * 1024;

/** The first JSON object in an answer, with or without a code fence around it; null when there is none. */
export function jsonObjectIn(answer: string): JsonObject | null {
  const text = answer.slice(0, MAX_CHARS);
  const start = text.indexOf('{');
  const end = text.lastIndexOf('}');
  if (start < 0 || end < start) return null;
  const json = parseJson(text.slice(start, end + 1));
  return json.ok && isObject(json.value) ? json.value : null;
}
