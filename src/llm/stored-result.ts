import type {
  AssistantMessage,
  ChatReply,
  ChatResult,
  FinishReason,
  Provider,
  ToolArguments,
  ToolCall,
} from './chat.js';
import type { FailureReason } from './failure.js';
import { countOf, isRecord, type JsonRecord, listOr, recordOr, stringOf } from './json.js';
import type { TokenUsage } from './usage.js';

const FINISHES: Readonly<Record<FinishReason, true>> = {
  stop: true,
  length: true,
  tool_calls: true,
  refusal: true,
  other: true,
};

const REASONS: Readonly<Record<FailureReason, true>> = {
  timed_out: true,
  cancelled: true,
  connection: true,
  rate_limited: true,
  overloaded: true,
  server_error: true,
  unauthorized: true,
  not_found: true,
  context_overflow: true,
  bad_request: true,
  bad_answer: true,
  budget_exhausted: true,
  not_configured: true,
  library_missing: true,
  replay_miss: true,
};

/** Reads a result as a cassette holds it; null when it is none. */
export function parseChatResult(stored: unknown): ChatResult | null {
  if (!isRecord(stored)) return null;
  const attempts = countOf(stored['attempts']) ?? 0;
  const latencyMs = typeof stored['latencyMs'] === 'number' ? stored['latencyMs'] : 0;
  if (stored['ok'] === true) {
    const reply = parseReply(stored['reply']);
    return reply && { ok: true, reply, attempts, latencyMs };
  }
  const failure = recordOr(stored['failure']);
  const reason = stringOf(failure['reason']) ?? '';
  if (!isKeyOf(REASONS, reason)) return null;
  const status = countOf(failure['status']);
  return {
    ok: false,
    failure: { reason, message: stringOf(failure['message']) ?? '', ...(status !== undefined && { status }) },
    attempts,
    latencyMs,
  };
}

function parseReply(stored: unknown): ChatReply | null {
  if (!isRecord(stored)) return null;
  const finish = stringOf(stored['finish']) ?? '';
  if (!isKeyOf(FINISHES, finish)) return null;
  const text = stringOf(stored['text']) ?? '';
  const toolCalls = listOr(stored['toolCalls']).filter(isRecord).map(parseCall);
  const usage = parseUsage(stored['usage']);
  return {
    text,
    toolCalls,
    finish,
    reasoningOnly: stored['reasoningOnly'] === true,
    ...(usage && { usage }),
    message: { role: 'assistant', text, toolCalls, ...parseEcho(stored['message']) },
  };
}

function parseCall(stored: JsonRecord): ToolCall {
  const given = recordOr(stored['arguments']);
  const value: ToolArguments =
    given['ok'] === true
      ? { ok: true, value: recordOr(given['value']) }
      : { ok: false, raw: stringOf(given['raw']) ?? '', problem: stringOf(given['problem']) ?? '' };
  return { id: stringOf(stored['id']) ?? '', name: stringOf(stored['name']) ?? '', arguments: value };
}

function parseEcho(message: unknown): Pick<AssistantMessage, 'echo'> {
  const echo = recordOr(recordOr(message)['echo']);
  const provider = echo['provider'];
  return isProvider(provider) ? { echo: { provider, message: recordOr(echo['message']) } } : {};
}

function parseUsage(stored: unknown): TokenUsage | undefined {
  if (!isRecord(stored)) return undefined;
  return {
    inputTokens: countOf(stored['inputTokens']) ?? 0,
    outputTokens: countOf(stored['outputTokens']) ?? 0,
    cacheCreationInputTokens: countOf(stored['cacheCreationInputTokens']) ?? 0,
    cacheReadInputTokens: countOf(stored['cacheReadInputTokens']) ?? 0,
  };
}

function isProvider(value: unknown): value is Provider {
  return value === 'openai' || value === 'anthropic';
}

function isKeyOf<T extends string>(table: Readonly<Record<T, true>>, value: string): value is T {
  return Object.hasOwn(table, value);
}
