import type { ChatMessage, ChatModel, ChatReply, ChatRequest, ToolCall } from '../../llm/chat.js';
import { mapRecord } from '../../llm/json.js';
import type { Masker } from '../safety/masker.js';

/**
 * A model that sees stand-ins in place of names. On our side of it every text has the real ones: what the model says is
 * translated back before anybody reads it, and forth again with each request (spec 07 C2).
 */
export function maskedModel(model: ChatModel, { mask, unmask }: Masker): ChatModel {
  return {
    provider: model.provider,
    model: model.model,
    async complete(request, deadline) {
      const result = await model.complete(maskedRequest(request, mask), deadline);
      return result.ok ? { ...result, reply: translated(result.reply, unmask) } : result;
    },
    close: () => model.close(),
  };
}

type Translate = (text: string) => string;

function maskedRequest(request: ChatRequest, mask: Translate): ChatRequest {
  return {
    ...request,
    system: mask(request.system),
    messages: request.messages.map((message) => maskedMessage(message, mask)),
  };
}

function maskedMessage(message: ChatMessage, mask: Translate): ChatMessage {
  if (message.role === 'user') return { ...message, text: mask(message.text) };
  if (message.role === 'tool') {
    const results = message.results.map((result) => ({ ...result, content: mask(result.content) }));
    return { ...message, results };
  }
  // The provider's own form of the message never held a name, and has to go back as it came.
  return {
    ...message,
    text: mask(message.text),
    toolCalls: message.toolCalls.map((call) => inCall(call, mask)),
  };
}

function translated(reply: ChatReply, unmask: Translate): ChatReply {
  const toolCalls = reply.toolCalls.map((call) => inCall(call, unmask));
  const text = unmask(reply.text);
  return {
    ...reply,
    text,
    toolCalls,
    message: {
      ...reply.message,
      text: unmask(reply.message.text),
      toolCalls: reply.message.toolCalls.map((call) => inCall(call, unmask)),
    },
  };
}

function inCall(call: ToolCall, translate: Translate): ToolCall {
  const { arguments: given } = call;
  return {
    ...call,
    arguments: given.ok
      ? { ok: true, value: mapRecord(given.value, translate) }
      : { ...given, raw: translate(given.raw) },
  };
}
