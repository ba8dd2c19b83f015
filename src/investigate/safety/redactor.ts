import { isObject, type Json } from '../../foreign/json.js';

export type SecretKind = 'secret' | 'token' | 'jwt' | 'header' | 'user_info' | 'value' | 'pem';

/** Takes credentials out of everything that is stored, shown or sent (spec 07 B8.2). */
export interface Redactor {
  text(source: string): string;
  json(value: Json): Json;
  /** How much was masked so far, by kind. */
  counts(): Readonly<Record<string, number>>;
}

const SHORTEST_SECRET = 6;
const PEM = /-----BEGIN [A-Z ]{1,40}-----[\s\S]{0,20000}?(?:-----END [A-Z ]{1,40}-----|$)/g;
const HEADER =
  /\b((?:proxy-)?authorization|cookie|set-cookie|x-api-key)(\\?["']?[ \t]{0,4}[:=][ \t]{0,4}\\?["']?)(?!\[redacted:)([^\r\n"'\\]{1,4000})/gi;
const USER_INFO = /(:\/\/)(?!\[redacted:)[^\s/?#"'<>@]{1,400}@/g;
const JWT = /(?<![A-Za-z0-9_-])eyJ[\w-]{4,4000}\.[\w-]{4,4000}\.[\w-]{4,4000}/g;
const PREFIXED =
  /(?<![A-Za-z0-9])(?:gh[opusr]_|github_pat_|sk-(?:ant-|or-)?|xox[bp]-|A(?:KIA|SIA)(?=[A-Z0-9]{12})|e2b_|hf_|glpat-)[A-Za-z0-9_-]{8,200}/g;
const SECRET_NAME = '(?:password|passwd|secret|api[ _-]?key|private[ _-]?key|token)';
const NAMED = new RegExp(
  `((?<![A-Za-z0-9_.-])[\\w.-]{0,60}?${SECRET_NAME}\\\\?["']?[ \\t]{0,4}[=:][ \\t]{0,4})(?!\\[redacted:)(\\\\?"[^"\\\\]{0,4000}|'[^']{0,4000}|[^\\s"'\\\\,;&<>(){}\\[\\]]{1,4000})`,
  'gi',
);
const SECRET_KEY = new RegExp(`${SECRET_NAME}$`, 'i');
const HARMLESS = /^(?:\\?["'])?(?:-?\d+(?:\.\d+)?|null|none|true|false|)$/i;

/** A redactor that also knows the exact values of the configured secrets, in the forms in which they turn up. */
export function createRedactor(secrets: readonly string[]): Redactor {
  const forms = [...new Set(secrets.filter(({ length }) => length >= SHORTEST_SECRET).flatMap(formsOf))];
  const longestFirst = forms.sort((a, b) => b.length - a.length);
  const counts: Record<string, number> = {};
  const mark = (kind: SecretKind): string => {
    counts[kind] = (counts[kind] ?? 0) + 1;
    return `[redacted:${kind}]`;
  };
  const text = (source: string): string => {
    let out = source;
    for (const form of longestFirst) {
      if (out.includes(form)) out = out.replaceAll(form, () => mark('secret'));
    }
    return out
      .replace(PEM, () => mark('pem'))
      .replace(HEADER, (_match, name: string, sign: string) => `${name}${sign}${mark('header')}`)
      .replace(USER_INFO, (_match, lead: string) => `${lead}${mark('user_info')}@`)
      .replace(JWT, () => mark('jwt'))
      .replace(PREFIXED, () => mark('token'))
      .replace(NAMED, (match, head: string, value: string) => {
        if (HARMLESS.test(value)) return match;
        const quote = /^\\?["']/.exec(value)?.[0] ?? '';
        return `${head}${quote}${mark('value')}`;
      });
  };
  const json = (value: Json): Json => {
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value)) return value.map(json);
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, entry]) => {
        const isSecret = typeof entry === 'string' && SECRET_KEY.test(key) && !HARMLESS.test(entry);
        if (isSecret && !entry.startsWith('[redacted:')) return [text(key), mark('value')];
        return [text(key), entry === undefined ? null : json(entry)];
      }),
    );
  };
  return { text, json, counts: () => counts };
}

/** A secret that no serialiser shows (spec 07 B8.2). */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself, for the one place that sends it. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }
}

function formsOf(secret: string): string[] {
  const base64 = Buffer.from(secret).toString('base64');
  const url = Buffer.from(secret).toString('base64url');
  return [secret, encodeURIComponent(secret), base64, base64.replace(/=+$/, ''), url];
}
