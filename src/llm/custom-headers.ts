import type { EnvRecord } from './env-view.js';
import { isRecord, parseJson } from './json.js';

/** Headers an operator adds, and what of the text was not usable (names only, never values). */
export interface CustomHeaders {
  readonly headers: Readonly<Record<string, string>>;
  readonly problems: readonly string[];
}

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Reads `OPENAI_CUSTOM_HEADERS` / `ANTHROPIC_CUSTOM_HEADERS`: a JSON object, or lines `name: value`; `${NAME}` stands for a
 * variable (spec 05 B.6). Names and values that no HTTP header can have are dropped and reported; so is a value into which
 * a variable would bring a line break.
 */
export function parseCustomHeaders(source: string, env: EnvRecord): CustomHeaders {
  const expanded = source.replace(/\$\{([^}]*)\}/g, (_, name: string) =>
    // A NUL is legal in no header, so a value with a smuggled line break is refused below.
    (env[name] ?? '').replace(/[\r\n]/g, '\0'),
  );
  const headers: Record<string, string> = {};
  const problems: string[] = [];
  for (const [name, value] of pairsOf(expanded.trim())) {
    if (name === '') continue;
    if (!NAME.test(name) || !VALUE.test(value)) {
      problems.push(`header ${JSON.stringify(name.slice(0, 64))} is not usable: illegal characters`);
      continue;
    }
    for (const known of Object.keys(headers)) {
      if (known.toLowerCase() === name.toLowerCase()) delete headers[known];
    }
    headers[name] = value;
  }
  return { headers, problems };
}

function pairsOf(text: string): [string, string][] {
  const json = text.startsWith('{') ? parseJson(text) : undefined;
  if (json?.ok && isRecord(json.value)) {
    return Object.entries(json.value).map(([name, value]) => [name.trim(), textOf(value).trim()]);
  }
  return text.split(/\r?\n/).flatMap((line): [string, string][] => {
    const colon = line.indexOf(':');
    if (colon < 0) return [];
    return [[line.slice(0, colon).trim(), line.slice(colon + 1).trim()]];
  });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
