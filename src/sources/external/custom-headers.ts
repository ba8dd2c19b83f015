import { isObject, parseJson } from '../../foreign/json.js';

type Env = Readonly<Record<string, string | undefined>>;

const MAX_TEXT = 8192;
const MAX_HEADERS = 32;
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;

/**
 * Headers as users of model gateways write them (spec 02 §5.18): lines `Name: value`, or one JSON object; `${VAR}` stands
 * for a variable of the environment. What is no legal header is left out. Names come in lower case.
 */
export function customHeaders(source: string | undefined, env: Env): Record<string, string> {
  const text = (source ?? '').trim().slice(0, MAX_TEXT);
  if (text === '') return {};
  const pairs = text.startsWith('{') ? objectPairs(text) : linePairs(text);
  const headers: Record<string, string> = {};
  for (const [name, value] of pairs.slice(0, MAX_HEADERS)) {
    const expanded = value
      .replace(/\$\{(\w{1,128})\}/g, (_match, variable: string) => env[variable] ?? '')
      .trim();
    if (NAME.test(name) && isLegalValue(expanded)) headers[name.toLowerCase()] = expanded;
  }
  return headers;
}

function objectPairs(text: string): (readonly [string, string])[] {
  const parsed = parseJson(text);
  if (!parsed.ok || !isObject(parsed.value)) return [];
  return Object.entries(parsed.value).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name.trim(), value]] : [],
  );
}

function linePairs(text: string): (readonly [string, string])[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const colon = line.indexOf(':');
    return colon < 1 ? [] : [[line.slice(0, colon).trim(), line.slice(colon + 1)]];
  });
}

/** Printable, so that no value can begin a header of its own. */
function isLegalValue(value: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}
