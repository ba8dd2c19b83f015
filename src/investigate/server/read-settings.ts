import { type ConfigValue, pickFields } from '../../foreign/config-field.js';
import { investigateFields } from '../../foreign/investigate-fields.js';
import { isLoopback } from './http/access.js';

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
  /** Settings that cannot be used, each naming itself. */
  readonly errors: readonly string[];
}

const SHORTEST_TOKEN = 16;

/**
 * The settings of the page out of a whole configuration.
 *
 * @param token null where none is asked for
 */
export function readServerSettings(
  values: Readonly<Record<string, ConfigValue | undefined>>,
  token: string | null,
): SettingsReading {
  const given = pickFields(investigateFields(), values);
  const host = given.investigate_host
    .trim()
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1');
  const settings: ServerSettings = {
    host,
    port: given.investigate_port,
    token,
    allowedHosts: given.investigate_allowed_hosts.map(lowered),
    maxConcurrent: given.investigate_max_concurrent,
    detachMs: given.investigate_detach_s * 1000,
    allowChatUrls: given.investigate_allow_chat_urls,
    urlAllowlist: given.investigate_url_allowlist.map(lowered),
  };
  return { settings, errors: accessErrors(host, token) };
}

function accessErrors(host: string, token: string | null): string[] {
  if (host === '') return ['investigate_host is empty, expected an address'];
  if (token === null && !isLoopback(host)) {
    return [
      `${host} can be reached from elsewhere, so INVESTIGATE_TOKEN (investigate_token in the file) must be set`,
    ];
  }
  if (token !== null && token.length < SHORTEST_TOKEN) {
    return [
      `INVESTIGATE_TOKEN (investigate_token in the file) has ${token.length} characters, expected at least ${SHORTEST_TOKEN}`,
    ];
  }
  return [];
}

function lowered(value: string): string {
  return value.trim().toLowerCase();
}
