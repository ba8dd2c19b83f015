import type { ParsedAnswer } from './adapter.js';
import type { FinishReason, ToolArguments, ToolCall } from './chat.js';
import { countOf, isRecord, type JsonRecord, listOr, parseJson, recordOr, stringOf } from './json.js';
import type { TokenUsage } from './usage.js';

const FINISH: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'refusal',
};

/** Reads a chat completion; an answer without choices, as gateways give it with status 200, is refused with its reason. */
export function parseOpenAiAnswer(body: JsonRecord): ParsedAnswer {
  const usage = usageOf(body['usage']);
  const choice = listOr(body['choices'])[0];
  const message = isRecord(choice) ? choice['message'] : undefined;
  if (!isRecord(choice) || !isRecord(message)) {
    return { ok: false, problem: `the answer has no choices${filterNote(body)}`, usage };
  }
  const refusal = stringOf(message['refusal']) ?? '';
  const text = contentText(message['content']).trim();
  const toolCalls = listOr(message['tool_calls']).filter(isRecord).flatMap(toolCallOf);
  const reasoning = stringOf(message['reasoning_content']) ?? stringOf(message['reasoning']) ?? '';
  const wasCut = choice['finish_reason'] === 'length';
  const isEmpty = text === '' && toolCalls.length === 0 && refusal === '';
  return {
    ok: true,
    reply: {
      text,
      toolCalls,
      finish: refusal === '' ? finishOf(choice['finish_reason']) : 'refusal',
      reasoningOnly: isEmpty && (reasoning !== '' || (wasCut && reasoningTokens(body) > 0)),
      ...(usage && { usage }),
      message: { role: 'assistant', text, toolCalls, echo: { provider: 'openai', message } },
    },
  };
}

function finishOf(reason: unknown): FinishReason {
  return (typeof reason === 'string' ? FINISH[reason] : undefined) ?? 'other';
}

/** Text, or the text parts of the list form. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOr(content)
    .filter(isRecord)
    .map((part) => (part['type'] === 'text' ? (stringOf(part['text']) ?? '') : ''))
    .join('');
}

function toolCallOf(call: JsonRecord): ToolCall[] {
  const id = stringOf(call['id']);
  const called = recordOr(call['function']);
  const name = stringOf(called['name']);
  if (id === undefined || name === undefined) return [];
  return [{ id, name, arguments: argumentsOf(called['arguments']) }];
}

/** Arguments come as JSON text; some servers send the object itself, and nothing at all for a tool without any. */
function argumentsOf(given: unknown): ToolArguments {
  if (isRecord(given)) return { ok: true, value: given };
  const raw = stringOf(given) ?? '';
  if (raw.trim() === '') return { ok: true, value: {} };
  const json = parseJson(raw);
  if (!json.ok) return { ok: false, raw, problem: `the arguments are no JSON: ${json.problem}` };
  if (!isRecord(json.value)) return { ok: false, raw, problem: 'the arguments are no JSON object' };
  return { ok: true, value: json.value };
}

function usageOf(usage: unknown): TokenUsage | undefined {
  if (!isRecord(usage)) return undefined;
  return {
    // Cached tokens are part of prompt_tokens here, so they are not counted a second time.
    inputTokens: countOf(usage['prompt_tokens']) ?? 0,
    outputTokens: countOf(usage['completion_tokens']) ?? 0,
    cacheCreationInputTokens: 0,
    cacheReadInputTokens: 0,
  };
}

function reasoningTokens(body: JsonRecord): number {
  const details = recordOr(recordOr(body['usage'])['completion_tokens_details']);
  return countOf(details['reasoning_tokens']) ?? 0;
}

function filterNote(body: JsonRecord): string {
  const filters = body['prompt_filter_results'] ?? body['error'];
  return filters === undefined ? '' : `: ${JSON.stringify(filters).slice(0, 200)}`;
}
