import type { ParsedAnswer } from './adapter.js';
import type { FinishReason, ToolCall } from './chat.js';
import { countOf, isRecord, type JsonRecord, listOr, stringOf } from './json.js';
import type { TokenUsage } from './usage.js';

const FINISH: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'refusal',
};

const REASONING = new Set(['thinking', 'redacted_thinking']);

/** Reads a message: the texts of all text blocks, joined without separator; other blocks are not text (spec 05 B.5). */
export function parseAnthropicAnswer(body: JsonRecord): ParsedAnswer {
  const usage = usageOf(body['usage']);
  if (body['type'] === 'error' || body['error'] !== undefined) {
    return { ok: false, problem: 'the answer is an error with the status of a success', usage };
  }
  const content = listOr(body['content']).filter(isRecord);
  const text = content
    .map((block) => (block['type'] === 'text' ? (stringOf(block['text']) ?? '') : ''))
    .join('')
    .trim();
  const toolCalls = content.flatMap(toolCallOf);
  const hasReasoning = content.some((block) => REASONING.has(stringOf(block['type']) ?? ''));
  const reason = stringOf(body['stop_reason']);
  return {
    ok: true,
    reply: {
      text,
      toolCalls,
      finish: (reason === undefined ? undefined : FINISH[reason]) ?? 'other',
      reasoningOnly: text === '' && toolCalls.length === 0 && hasReasoning,
      ...(usage && { usage }),
      message: { role: 'assistant', text, toolCalls, echo: { provider: 'anthropic', message: { content } } },
    },
  };
}

function toolCallOf(block: JsonRecord): ToolCall[] {
  const id = stringOf(block['id']);
  const name = stringOf(block['name']);
  if (block['type'] !== 'tool_use' || id === undefined || name === undefined) return [];
  const input = block['input'];
  if (isRecord(input)) return [{ id, name, arguments: { ok: true, value: input } }];
  const raw = input === undefined ? '' : JSON.stringify(input);
  return [{ id, name, arguments: { ok: false, raw, problem: 'the input is no JSON object' } }];
}

function usageOf(usage: unknown): TokenUsage | undefined {
  if (!isRecord(usage)) return undefined;
  return {
    inputTokens: countOf(usage['input_tokens']) ?? 0,
    outputTokens: countOf(usage['output_tokens']) ?? 0,
    cacheCreationInputTokens: countOf(usage['cache_creation_input_tokens']) ?? 0,
    cacheReadInputTokens: countOf(usage['cache_read_input_tokens']) ?? 0,
  };
}
