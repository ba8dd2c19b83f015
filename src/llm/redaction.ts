import type { ChatMessage, ChatRequest, ToolArguments } from './chat.js';
import type { Credentials } from './credentials.js';
import { isRecord, type Json, mapRecord } from './json.js';

/** Takes secrets out of a text. Given by the caller; this layer adds the values it was itself given. */
export type Redact = (text: string) => string;

const MARK = '[redacted]';
const SHORTEST = 6;

/**
 * The caller's redaction, and before it the exact values of our own credentials in the forms in which they turn up: plain,
 * URL-encoded, base64 (spec 07 B8.2).
 */
export function redactWithOwn(redact: Redact, credentials: Credentials): Redact {
  const values = [credentials.key, ...Object.values(credentials.headers)].filter(
    (value) => value.length >= SHORTEST,
  );
  const forms = new Set(values.flatMap((value) => [value, encodeURIComponent(value), ...base64Forms(value)]));
  const longestFirst = [...forms].sort((a, b) => b.length - a.length);
  return (text) => redact(longestFirst.reduce((rest, form) => rest.replaceAll(form, MARK), text));
}

function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value);
  return [bytes.toString('base64'), bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url')];
}

/** The request with every text of ours redacted. What the model itself said goes back to it unchanged. */
export function redactRequest(request: ChatRequest, redact: Redact): ChatRequest {
  return {
    ...request,
    system: redact(request.system),
    messages: request.messages.map((message) => redactMessage(message, redact)),
    ...(request.tools && {
      tools: request.tools.map((tool) => ({
        ...tool,
        description: redact(tool.description),
        parameters: mapRecord(tool.parameters, redact),
      })),
    }),
  };
}

function redactMessage(message: ChatMessage, redact: Redact): ChatMessage {
  switch (message.role) {
    case 'user':
      return { ...message, text: redact(message.text) };
    case 'tool':
      return {
        ...message,
        results: message.results.map((result) => ({ ...result, content: redact(result.content) })),
      };
    case 'assistant':
      if (message.echo) return message;
      return {
        ...message,
        text: redact(message.text),
        toolCalls: message.toolCalls.map((call) => ({
          ...call,
          arguments: redactArguments(call.arguments, redact),
        })),
      };
  }
}

function redactArguments(given: ToolArguments, redact: Redact): ToolArguments {
  return given.ok
    ? { ok: true, value: mapRecord(given.value, redact) }
    : { ...given, raw: redact(given.raw) };
}

const MASKED = '[redacted:value]';

/** Redacted data: every text, and every text that is a secret only by the name it stands under. */
export function redactTree(value: Json, redact: Redact): Json {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactTree(item, redact));
  if (!isRecord(value)) return value;
  // Tags and fields of telemetry are pairs of their own.
  const named = typeof value['key'] === 'string' ? value['key'] : null;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => {
      if (item === undefined) return [];
      const name = key === 'value' && named !== null ? named : key;
      const shown = typeof item === 'string' ? redactNamed(name, item, redact) : redactTree(item, redact);
      return [[redact(key), shown]];
    }),
  );
}

function redactNamed(name: string, text: string, redact: Redact): string {
  const plain = redact(text);
  return redact(`${name}: ${text}`) === `${redact(name)}: ${plain}` ? plain : MASKED;
}
