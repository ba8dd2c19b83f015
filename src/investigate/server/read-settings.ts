import { isLoopback } from './http/access.js';
import { DEFAULT_LIMITS } from './limits.js';

/** Where the page is served, and what a chat may do (spec 07 B17). */
export interface ServerSettings {
  readonly host: string;
  readonly port: number;
  readonly token: string | null;
  readonly allowedHosts: readonly string[];
  readonly maxConcurrent: number;
  readonly detachMs: number;
  readonly allowChatUrls: boolean;
  readonly urlAllowlist: readonly string[];
}

export interface SettingsReading {
  readonly settings: ServerSettings;
  /** Settings that cannot be used, each naming its variable or option. */
  readonly errors: readonly string[];
}

type Env = Readonly<Record<string, string | undefined>>;

const SHORTEST_TOKEN = 16;

/** The settings in an environment, with what the command line says on top. */
export function readServerSettings(
  env: Env,
  flags: { readonly host?: string; readonly port?: string } = {},
): SettingsReading {
  const errors: string[] = [];
  const value = (name: string): string | undefined => {
    const text = env[`INVESTIGATE_${name}`]?.trim();
    return text === '' ? undefined : text;
  };
  const integer = (
    name: string,
    text: string | undefined,
    fallback: number,
    range: [number, number],
  ): number => {
    if (text === undefined) return fallback;
    const number = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= range[0] && number <= range[1]) return number;
    errors.push(
      `${name} is ${JSON.stringify(text)}, expected a whole number from ${range[0]} to ${range[1]}`,
    );
    return fallback;
  };
  const host = (flags.host ?? value('HOST') ?? '127.0.0.1').toLowerCase().replace(/^\[(.*)\]$/, '$1');
  const portName = flags.port === undefined ? 'INVESTIGATE_PORT' : '--port';
  const token = value('TOKEN') ?? null;
  if (token === null && !isLoopback(host)) {
    errors.push(`${host} can be reached from elsewhere, so INVESTIGATE_TOKEN must be set`);
  }
  if (token !== null && token.length < SHORTEST_TOKEN) {
    errors.push(`INVESTIGATE_TOKEN has ${token.length} characters, expected at least ${SHORTEST_TOKEN}`);
  }
  const detachS = DEFAULT_LIMITS.detachMs / 1000;
  const settings: ServerSettings = {
    host,
    port: integer(portName, flags.port ?? value('PORT'), 8000, [0, 65_535]),
    token,
    allowedHosts: listOf(value('ALLOWED_HOSTS')),
    maxConcurrent: integer(
      'INVESTIGATE_MAX_CONCURRENT',
      value('MAX_CONCURRENT'),
      DEFAULT_LIMITS.maxConcurrent,
      [1, 64],
    ),
    detachMs: 1000 * integer('INVESTIGATE_DETACH_S', value('DETACH_S'), detachS, [0, 86_400]),
    allowChatUrls: /^(?:1|true|yes|on)$/i.test(value('ALLOW_CHAT_URLS') ?? ''),
    urlAllowlist: listOf(value('URL_ALLOWLIST')),
  };
  return { settings, errors };
}

function listOf(text = ''): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '');
}
