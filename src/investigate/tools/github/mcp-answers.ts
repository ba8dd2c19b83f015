import { isObject, type Json, listOr, objectOr, parseJson, text } from '../../../foreign/json.js';

/** What one tool of an MCP server said. */
export interface McpContent {
  /** Texts, joined in order. */
  readonly text: string;
  /** Text of an embedded resource, or null. */
  readonly resource: string | null;
  readonly isError: boolean;
}

/** Reads a tool result as it came; anything unknown in it is left out. */
export function readContent(result: unknown): McpContent {
  const { content, isError } = objectOr(result);
  const parts = listOr(content).filter(isObject);
  const resources = parts.flatMap((part) => {
    const { text: source, blob } = objectOr(part['resource']);
    if (typeof source === 'string') return [source];
    return typeof blob === 'string' ? [Buffer.from(blob, 'base64').toString('utf8')] : [];
  });
  return {
    text: parts.flatMap((part) => (part['type'] === 'text' ? (text(part['text']) ?? []) : [])).join('\n'),
    resource: resources[0] ?? null,
    isError: isError === true,
  };
}

/** A file's text, or a directory's entries as JSON, from either kind of server (spec 07 A3.3). */
export function fileText({ text: source, resource }: McpContent): string {
  if (resource !== null) return resource;
  const parsed = parseJson(source);
  if (!parsed.ok || !isObject(parsed.value)) return source;
  const { content, encoding, size } = parsed.value;
  if (typeof content !== 'string') return source;
  // One widespread server decodes the content and leaves the word base64 beside it; the size tells.
  if (encoding !== 'base64' || Buffer.byteLength(content) === size) return content;
  const decoded = Buffer.from(content, 'base64');
  return decoded.length === size ? decoded.toString('utf8') : content;
}

/** Commits not older than a time; those without a readable date stay. */
export function commitsSince(commits: Json, since: string | undefined): Json {
  if (since === undefined) return commits;
  const from = Date.parse(since);
  return listOr(commits).filter((entry) => {
    const commit = objectOr(objectOr(entry)['commit']);
    const date = text(objectOr(commit['committer'])['date']) ?? text(objectOr(commit['author'])['date']);
    return !(Date.parse(date ?? '') < from);
  });
}

/** The HTTP status that a server's words stand for, where they do. */
export function statusOf(problem: string): number | null {
  if (/\b404\b|not found/i.test(problem)) return 404;
  if (/\b429\b|rate limit/i.test(problem)) return 429;
  return /\b403\b|forbidden/i.test(problem) ? 403 : null;
}
