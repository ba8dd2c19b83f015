import { parseRepo } from '../evidence/names.js';
import type { ChatMessage } from './chat-message.js';
import type { ChatSettings } from './investigator.js';

/** What the operator lets a chat decide (spec 07 B8.1). */
export interface ChatPolicy {
  readonly allowChatUrls: boolean;
  /** Host names that a chat may point to. */
  readonly urlAllowlist: readonly string[];
}

export interface AppliedSettings {
  readonly settings: ChatSettings;
  readonly notices: readonly string[];
}

const MAX_NAME = 200;

/** Settings after a message; what it may not set stays as it was, and the notices say so. */
export function applySettings(
  before: ChatSettings,
  { texts, secrets, mentionedRepo }: ChatMessage,
  policy: ChatPolicy,
): AppliedSettings {
  const notices: string[] = [];
  const urlOf = (key: 'jaeger_url' | 'loki_url'): string | null => {
    const given = texts[key];
    if (given === undefined) return before[key];
    if (isAllowedUrl(given, policy)) return given;
    notices.push(`${key} was not taken: an operator decides where evidence is read from.`);
    return before[key];
  };
  const repo = repoAfter(before, texts.repo, mentionedRepo, notices);
  const settings: ChatSettings = {
    repo,
    service_name: texts.service_name?.slice(0, MAX_NAME) ?? before.service_name,
    jaeger_url: urlOf('jaeger_url'),
    loki_url: urlOf('loki_url'),
    secrets: { ...before.secrets, ...secrets },
  };
  return { settings, notices };
}

/** A setting always counts; a URL in prose only where nothing is set, because a quoted one proves no intent. */
function repoAfter(
  before: ChatSettings,
  given: string | undefined,
  mentioned: string | null,
  notices: string[],
): string | null {
  if (given !== undefined) {
    const repo = parseRepo(given);
    if (repo !== null) return repo;
    notices.push('repo was not taken: expected OWNER/NAME or the URL of a GitHub repository.');
    return before.repo;
  }
  if (mentioned === null || mentioned === before.repo) return before.repo;
  if (before.repo === null) {
    notices.push(`The repository is now ${mentioned}, as mentioned in the text.`);
    return mentioned;
  }
  notices.push(`The repository stays ${before.repo}; to change it, write a line repo: ${mentioned}`);
  return before.repo;
}

function isAllowedUrl(value: string, { allowChatUrls, urlAllowlist }: ChatPolicy): boolean {
  if (!allowChatUrls || !URL.canParse(value)) return false;
  const { protocol, hostname, username, password } = new URL(value);
  if (username !== '' || password !== '') return false;
  return (protocol === 'http:' || protocol === 'https:') && urlAllowlist.includes(hostname);
}
