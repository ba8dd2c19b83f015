import type {
  MessageCreateParamsNonStreaming,
  MessageParam,
  ToolChoice as SdkToolChoice,
} from '@anthropic-ai/sdk/resources/messages';
import type { AssistantMessage, ChatMessage, ChatRequest, ToolChoice } from './chat.js';
import { type JsonRecord, listOr } from './json.js';
import type { Quirks } from './quirks.js';

type Content = Exclude<MessageParam['content'], string>;

/** The body of a message request (spec 05 B.5, 07 B12). */
export function anthropicBody(
  request: ChatRequest,
  model: string,
  quirks: Quirks,
  extra: JsonRecord,
): MessageCreateParamsNonStreaming {
  const withTemperature = request.temperature !== undefined && quirks.withoutTemperature !== true;
  return {
    ...extra,
    model,
    messages: turns(request.messages),
    max_tokens: Math.max(request.maxOutputTokens, quirks.leastOutputTokens ?? 0),
    system: request.cacheSystem
      ? [{ type: 'text', text: request.system, cache_control: { type: 'ephemeral' } }]
      : request.system,
    ...(withTemperature && { temperature: request.temperature }),
    ...(request.tools?.length && {
      tools: request.tools.map(({ name, description, parameters }) => ({
        name,
        description,
        input_schema: { ...parameters, type: 'object' as const },
      })),
      tool_choice: toolChoice(request.toolChoice ?? 'auto'),
    }),
  };
}

function toolChoice(choice: ToolChoice): SdkToolChoice {
  return typeof choice === 'string' ? { type: choice } : { type: 'tool', name: choice.tool };
}

/** One turn per speaker: tool results and the user's text after them are one user message, results first. */
function turns(messages: readonly ChatMessage[]): MessageParam[] {
  const result: MessageParam[] = [];
  for (const message of messages) {
    const turn = turnOf(message);
    const last = result.at(-1);
    if (last === undefined || last.role !== turn.role || turn.role === 'assistant') {
      result.push(turn);
      continue;
    }
    result[result.length - 1] = { role: 'user', content: [...blocks(last.content), ...blocks(turn.content)] };
  }
  return result;
}

function blocks(content: MessageParam['content']): Content {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function turnOf(message: ChatMessage): MessageParam {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: message.text };
    case 'tool':
      return {
        role: 'user',
        content: message.results.map(({ callId, content, isError }) => ({
          type: 'tool_result',
          tool_use_id: callId,
          content,
          ...(isError && { is_error: true }),
        })),
      };
    case 'assistant':
      return { role: 'assistant', content: assistantContent(message) };
  }
}

function assistantContent(message: AssistantMessage): Content {
  if (message.echo?.provider === 'anthropic') {
    const content = listOr(message.echo.message['content']);
    // The endpoint's own blocks, some of them signed, and of kinds the library may not know.
    if (content.length > 0) return content as unknown as Content;
  }
  const isEmpty = message.text === '' && message.toolCalls.length === 0;
  // The protocol refuses a turn without content.
  const text = isEmpty ? '(no answer)' : message.text;
  return [
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...message.toolCalls.map((call) => ({
      type: 'tool_use' as const,
      id: call.id,
      name: call.name,
      input: call.arguments.ok ? call.arguments.value : {},
    })),
  ];
}
