import type { ChatModel, ChatReply, ChatRequest, ChatResult } from '../../../src/llm/chat.js';
import type { FailureReason } from '../../../src/llm/failure.js';
import type { JsonRecord } from '../../../src/llm/json.js';

/** What a scripted model does with one request. */
export type Turn =
  | { readonly call: string; readonly args: JsonRecord | string }
  | { readonly calls: readonly { readonly call: string; readonly args: JsonRecord }[] }
  | { readonly text: string }
  | { readonly refusal: true }
  | { readonly fail: FailureReason }
  | ((request: ChatRequest) => Turn);

export interface Scripted extends ChatModel {
  readonly requests: ChatRequest[];
}

/** A model that follows a script; its last turn repeats. */
export function scripted(turns: readonly Turn[], usage = { inputTokens: 100, outputTokens: 50 }): Scripted {
  const requests: ChatRequest[] = [];
  let id = 0;
  return {
    provider: 'openai',
    model: 'scripted',
    requests,
    async complete(request): Promise<ChatResult> {
      const index = Math.min(requests.length, turns.length - 1);
      requests.push({ ...request, messages: [...request.messages] });
      let turn = turns[index] ?? { text: '' };
      if (typeof turn === 'function') turn = turn(request);
      if (typeof turn === 'function') throw new Error('a turn gave a turn');
      if ('fail' in turn) {
        return { ok: false, failure: { reason: turn.fail, message: 'scripted' }, attempts: 1, latencyMs: 1 };
      }
      const calls = 'calls' in turn ? turn.calls : 'call' in turn ? [turn] : [];
      const toolCalls = calls.map(({ call, args }) => {
        id += 1;
        const given =
          typeof args === 'string'
            ? { ok: false as const, raw: args, problem: 'not JSON' }
            : { ok: true as const, value: args };
        return { id: `c${id}`, name: call, arguments: given };
      });
      const text = 'text' in turn ? turn.text : '';
      const reply: ChatReply = {
        text,
        toolCalls,
        finish: 'refusal' in turn ? 'refusal' : toolCalls.length > 0 ? 'tool_calls' : 'stop',
        reasoningOnly: false,
        usage: { ...usage, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 },
        message: { role: 'assistant', text, toolCalls },
      };
      return { ok: true, reply, attempts: 1, latencyMs: 1 };
    },
    close: async () => undefined,
  };
}
