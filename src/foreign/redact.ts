import { lazy } from './lazy.js';

/** Takes the place of every credential. */
export const REDACTED = '[redacted]';

/** Masks credentials in one text. */
export type Redact = (text: string) => string;

export interface RedactOptions {
  /** Exact values to mask, such as those of secret environment variables; see {@link secretValues}. */
  readonly secrets?: readonly string[];
  /** Which query values of URLs go: those with a secret name (a probed URL is an identity), or every one. */
  readonly query?: 'secret' | 'all';
}

/** Names, alone or after `_` or `-`, whose values are credentials (spec 01 §4.4). */
const SECRET_NAME =
  '(?:api[_-]?key|access[_-]?key|secret[_-]?key|private[_-]?key|token|secret|password|passwd|authorization)';

const SHORTEST_SECRET = 8;

const NOT_YET = '(?!\\[redacted\\])';
const QUOTED = `\\\\"[^"\\\\]{8,}|\\\\'[^'\\\\]{8,}|"(?:[^"\\\\]|\\\\.){8,}"?|'(?:[^'\\\\]|\\\\.){8,}'?`;
const BARE = `[^\\s"'\\\\,;&<>(){}\\[\\]]{8,}`;
const SCHEME = '(?:(?:basic|bearer|digest|negotiate|token|apikey)[ \\t]{1,8})?';

/** Starts at the colon: a scheme in front would make every long word cost its length times thirty. */
const USER_INFO = /(:\/\/)(?!\[redacted\]@)[^\s/?#"'<>]*@/g;
const QUERY_VALUE = /([?&])([^\s=&?#"'<>]{1,128})=(?!\[redacted\])([^\s&#"'<>]+)/g;
const SECRET_QUERY_NAME = /key|token|secret|passw|auth|sig/i;
const namedValue = lazy(
  () =>
    new RegExp(
      `((?<![A-Za-z0-9])${SECRET_NAME}\\\\?["']?[ \\t]{0,8}[=:][ \\t]{0,8})${NOT_YET}(${SCHEME}(?:${QUOTED}|${BARE}))`,
      'gi',
    ),
);
const bearer = lazy(() => new RegExp(`\\b(bearer[ \\t]{1,8})${NOT_YET}[A-Za-z0-9._~+/=-]+`, 'gi'));
const KNOWN_PREFIX = /(?<![A-Za-z0-9])(?:(?:sk-|hf_)[A-Za-z0-9_-]{9,}|(?:ghp_|AKIA)[A-Za-z0-9_-]{8,})/g;
const secretOption = lazy(
  () =>
    new RegExp(
      `(--(?:[a-z0-9]+[_-]){0,6}${SECRET_NAME}(?:=|[ \\t]{1,8}))${NOT_YET}("[^"]*"?|'[^']*'?|[^\\s"']+)`,
      'gi',
    ),
);
const assignment = lazy(
  () =>
    new RegExp(
      `(?<![A-Za-z0-9_])([A-Za-z_][A-Za-z0-9_]{0,127})=${NOT_YET}("[^"]*"?|'[^']*'?|[^\\s"']+)`,
      'g',
    ),
);
const SECRET_VARIABLE = ['KEY', 'TOKEN', 'SECRET', 'PASSWORD'];

/**
 * Masks credentials: user info and secret query values of URLs, values after names such as `api_key` or `authorization`,
 * `Bearer` credentials, words with the prefix of a known kind of key, and the given values (spec 01 §4.4, 03 G-5, 05 B.11).
 * What is masked once stays as it is, so it may be applied again.
 */
export function redactText(text: string, options: RedactOptions = {}): string {
  const all = options.query === 'all';
  const masked = maskValues(text, options.secrets ?? []);
  const lower = masked.toLowerCase();
  return STEPS.reduce(
    (soFar, { needs, mask }) => (needs.some((part) => lower.includes(part)) ? mask(soFar, all) : soFar),
    masked,
  );
}

/**
 * The patterns in their order, each with what it cannot match without, in lower case: looking for a part is quick, and most
 * texts have none.
 */
const STEPS: readonly {
  readonly needs: readonly string[];
  readonly mask: (text: string, all: boolean) => string;
}[] = [
  { needs: ['://'], mask: (text) => text.replace(USER_INFO, `$1${REDACTED}@`) },
  {
    needs: ['?', '&'],
    mask: (text, all) =>
      text.replace(QUERY_VALUE, (match, lead: string, name: string) =>
        all || SECRET_QUERY_NAME.test(name) ? `${lead}${name}=${REDACTED}` : match,
      ),
  },
  {
    needs: ['key', 'token', 'secret', 'passw', 'authorization'],
    mask: (text) =>
      text.replace(namedValue(), (_match, head: string, value: string) => head + maskInsideQuotes(value)),
  },
  { needs: ['bearer'], mask: (text) => text.replace(bearer(), `$1${REDACTED}`) },
  { needs: ['sk-', 'hf_', 'ghp_', 'akia'], mask: (text) => text.replace(KNOWN_PREFIX, REDACTED) },
];

/**
 * Masks a command line or a shell fragment: as {@link redactText} with every query value, and also values of options such
 * as `--api-key` and assignments to variables with secret names, however short (spec 02 §10.1).
 */
export function redactCommand(text: string, options: Pick<RedactOptions, 'secrets'> = {}): string {
  const masked = redactText(text, { ...options, query: 'all' });
  return masked
    .replace(secretOption(), (_match, head: string) => head + REDACTED)
    .replace(assignment(), (match, name: string) => (isSecretVariable(name) ? `${name}=${REDACTED}` : match));
}

/**
 * Values, of at least 8 characters, of the variables whose names contain KEY, TOKEN, SECRET or PASSWORD; longest first, so
 * that a value inside another one does not leave its rest behind (spec 01 §4.4).
 */
export function secretValues(env: Readonly<Record<string, string | undefined>>): string[] {
  const values = new Set<string>();
  for (const name of Object.keys(env)) {
    // Named first: reading a variable of the process is a call out of the engine.
    const value = isSecretVariable(name) ? env[name] : undefined;
    if (value === undefined) continue;
    for (const candidate of [value, value.trim()]) {
      if (candidate.length >= SHORTEST_SECRET) values.add(candidate);
    }
  }
  return [...values].sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
}

function isSecretVariable(name: string): boolean {
  const upper = name.toUpperCase();
  return SECRET_VARIABLE.some((part) => upper.includes(part));
}

/** A redactor bound to the secrets of an environment, which are looked up when it first masks something. */
export function redactorFor(env: Readonly<Record<string, string | undefined>>): Redact {
  const secrets = lazy(() => secretValues(env));
  return (text) => redactText(text, { secrets: secrets() });
}

function maskValues(text: string, secrets: readonly string[]): string {
  let masked = text;
  for (const secret of secrets) {
    if (secret.length < SHORTEST_SECRET || REDACTED.includes(secret)) continue;
    masked = masked.replaceAll(secret, REDACTED);
  }
  return masked;
}

/** Keeps the quotes around a masked value, so that embedded JSON stays JSON. */
function maskInsideQuotes(value: string): string {
  const open = /^(?:\\["']|["'])/.exec(value)?.[0] ?? '';
  if (open === '') return REDACTED;
  const close = value.length > open.length && !open.startsWith('\\') && value.endsWith(open) ? open : '';
  return open + REDACTED + close;
}
