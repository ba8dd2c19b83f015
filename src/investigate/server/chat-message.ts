import { parseRepo } from '../evidence/names.js';
import { createRedactor, Secret } from '../safety/redactor.js';
import { cleanForeign } from '../safety/text-hygiene.js';
import { SECRET_KEYS, type SecretKey } from './investigator.js';

const ALIASES: Readonly<Record<string, string>> = { e2b_key: 'e2b_api_key' };
const TEXT_KEYS = ['repo', 'service_name', 'jaeger_url', 'loki_url'] as const;
type TextKey = (typeof TEXT_KEYS)[number];
/** Keys of an earlier version, whose lines still hold credentials. */
const RETIRED = new Set(['tavily_key', 'tavily_api_key']);

const GITHUB_URL = /\bhttps?:\/\/(?:www\.)?github\.com\/[\w.-]+\/[\w.-]+/i;
const GITHUB_TOKEN = /(?<![A-Za-z0-9])(?:gh[opusr]_|github_pat_)[A-Za-z0-9_]{8,200}/;
const E2B_KEY = /(?<![A-Za-z0-9])e2b_[A-Za-z0-9_]{8,200}/;
const NAMES_GITHUB = /\bgithub\b[^\n]{0,40}\btoken\b|\bgithub_token\b/i;
const NAMES_E2B = /\be2b(?:[ _-](?:api[ _-])?key)\b/i;

/** A message taken apart; no credential is left in any of its texts. */
export interface ChatMessage {
  /** Plain settings as written; `repo` is not checked yet. */
  readonly texts: Readonly<Partial<Record<TextKey, string>>>;
  readonly secrets: Readonly<Partial<Record<SecretKey, Secret>>>;
  /** True when a line was a setting, even one without a value. */
  readonly hasKeys: boolean;
  /** The rest, for the investigation; empty when there is none. */
  readonly issue: string;
  /** `OWNER/NAME` of the first GitHub URL in the rest. */
  readonly mentionedRepo: string | null;
  /** What the writer should know about this reading. */
  readonly notices: readonly string[];
}

/**
 * Takes settings and credentials out of a chat message before anything else sees it: lines `key: value` with a known key,
 * the last of a key winning, and tokens pasted in prose (spec 07 A1.2, B14).
 */
export function readChatMessage(message: string): ChatMessage {
  const texts: Partial<Record<TextKey, string>> = {};
  const secrets: Partial<Record<SecretKey, Secret>> = {};
  const notices: string[] = [];
  const rest: string[] = [];
  let hasKeys = false;
  for (const line of linesOf(message)) {
    const colon = line.indexOf(':');
    const name = colon < 0 ? '' : line.slice(0, colon).trim().toLowerCase();
    const key = ALIASES[name] ?? name;
    const value = line.slice(colon + 1).trim();
    const textKey = TEXT_KEYS.find((known) => known === key);
    const secretKey = SECRET_KEYS.find((known) => known === key);
    if (textKey !== undefined) {
      if (value !== '') texts[textKey] = value;
    } else if (secretKey !== undefined) {
      if (value !== '') secrets[secretKey] = new Secret(value);
    } else if (RETIRED.has(key)) {
      notices.push(`${key} is not used and was taken out.`);
    } else {
      rest.push(withoutTokens(line, secrets, notices));
      continue;
    }
    hasKeys = true;
  }
  const issue = maskRest(rest.join('\n'), secrets, notices);
  const url = GITHUB_URL.exec(issue)?.[0];
  const mentionedRepo = url === undefined ? null : parseRepo(url);
  return { texts, secrets, hasKeys, issue, mentionedRepo, notices };
}

function linesOf(message: string): string[] {
  return message
    .split(/\r\n|\r|\n/)
    .map((line) => cleanForeign(line).text.trim())
    .filter((line) => line !== '');
}

/** Takes a pasted token out of a line of prose; it becomes a setting only when the line says which. */
function withoutTokens(line: string, secrets: Partial<Record<SecretKey, Secret>>, notices: string[]): string {
  let out = line;
  const kinds = [
    { key: 'github_token', token: GITHUB_TOKEN, named: NAMES_GITHUB },
    { key: 'e2b_api_key', token: E2B_KEY, named: NAMES_E2B },
  ] as const;
  for (const { key, token, named } of kinds) {
    const found = token.exec(out)?.[0];
    if (found === undefined) continue;
    out = out.replaceAll(found, '[redacted:token]');
    if (named.test(line.replace(found, ' '))) {
      secrets[key] = new Secret(found);
      notices.push(`A token in the text was taken out and is used as ${key}.`);
    } else {
      notices.push(`A token in the text was taken out. To use it, write a line ${key}: and the token.`);
    }
  }
  return out;
}

/** What still looks like a credential, and every value given as one, however it is repeated. */
function maskRest(
  text: string,
  secrets: Readonly<Partial<Record<SecretKey, Secret>>>,
  notices: string[],
): string {
  const redactor = createRedactor(Object.values(secrets).map((secret) => secret.reveal()));
  const masked = redactor.text(text);
  if (masked !== text) notices.push('Something that looks like a credential was taken out of the text.');
  return masked;
}
