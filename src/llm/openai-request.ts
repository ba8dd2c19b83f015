import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageParam,
  ChatCompletionToolChoiceOption,
} from 'openai/resources/chat/completions';
import type { AssistantMessage, ChatMessage, ChatRequest, ToolChoice } from './chat.js';
import type { JsonRecord } from './json.js';
import { isReasoningModel, outputLimitFor, type Quirks } from './quirks.js';

/** The body of a chat completion (spec 05 B.4, 07 B12). */
export function openAiBody(
  request: ChatRequest,
  model: string,
  quirks: Quirks,
  extra: JsonRecord,
): ChatCompletionCreateParamsNonStreaming {
  const outputTokens = Math.max(request.maxOutputTokens, quirks.leastOutputTokens ?? 0);
  const withTemperature =
    request.temperature !== undefined && quirks.withoutTemperature !== true && !isReasoningModel(model);
  return {
    ...extra,
    model,
    messages: [{ role: 'system', content: request.system }, ...request.messages.flatMap(messageParams)],
    ...(outputLimitFor(model, quirks) === 'max_tokens'
      ? { max_tokens: outputTokens }
      : { max_completion_tokens: outputTokens }),
    ...(withTemperature && { temperature: request.temperature }),
    ...(request.tools?.length && {
      tools: request.tools.map(({ name, description, parameters }) => ({
        type: 'function' as const,
        function: { name, description, parameters: { ...parameters } },
      })),
      tool_choice: toolChoice(request.toolChoice ?? 'auto'),
    }),
  };
}

function toolChoice(choice: ToolChoice): ChatCompletionToolChoiceOption {
  return typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.tool } };
}

function messageParams(message: ChatMessage): ChatCompletionMessageParam[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: message.text }];
    case 'tool':
      return message.results.map(({ callId, content }) => ({ role: 'tool', tool_call_id: callId, content }));
    case 'assistant':
      return [assistantParam(message)];
  }
}

function assistantParam(message: AssistantMessage): ChatCompletionAssistantMessageParam {
  if (message.echo?.provider === 'openai') {
    // The endpoint's own message, with whatever fields it has beyond the library's types.
    return { ...message.echo.message, role: 'assistant' } as ChatCompletionAssistantMessageParam;
  }
  return {
    role: 'assistant',
    content: message.text,
    ...(message.toolCalls.length > 0 && {
      tool_calls: message.toolCalls.map((call) => ({
        id: call.id,
        type: 'function' as const,
        function: {
          name: call.name,
          arguments: call.arguments.ok ? JSON.stringify(call.arguments.value) : call.arguments.raw,
        },
      })),
    }),
  };
}
