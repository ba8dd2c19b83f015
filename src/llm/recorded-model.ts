import { createHash } from 'node:crypto';
import type { CassetteReader, CassetteWriter } from './cassette.js';
import type { ChatMessage, ChatModel, ChatRequest, ChatResult, Provider } from './chat.js';
import { canonicalJson, type Json } from './json.js';
import { type Redact, redactRequest } from './redaction.js';
import { parseChatResult } from './stored-result.js';

/** How a request becomes a key that is the same in every run. */
export interface KeyRules {
  /** The redaction of the run: keys are made of what leaves, not of what was asked. */
  readonly redact: Redact;
  /** Replaces nonces, timings and clock readings in a text (spec 07 B15). */
  readonly normalise: (text: string) => string;
}

/** SHA-256 over canonical JSON of provider, model, messages and tools (spec 07 B15), as hexadecimal digits. */
export function chatKey(provider: Provider, model: string, request: ChatRequest, rules: KeyRules): string {
  const change = (text: string): string => rules.normalise(rules.redact(text));
  const source = requestJson(provider, model, redactRequest(withoutEchoes(request), change));
  return createHash('sha256').update(canonicalJson(source)).digest('hex');
}

/** Passes requests on and records each with its result. */
export function recordingModel(model: ChatModel, cassette: CassetteWriter, rules: KeyRules): ChatModel {
  return {
    provider: model.provider,
    model: model.model,
    async complete(request, deadline) {
      const result = await model.complete(request, deadline);
      const key = chatKey(model.provider, model.model, request, rules);
      cassette.record('llm', key, requestJson(model.provider, model.model, request), jsonOf(result));
      return result;
    },
    close: () => model.close(),
  };
}

/** Answers from a cassette alone: what it does not hold is a `replay_miss`, and nothing ever goes out. */
export function replayModel(
  cassette: CassetteReader,
  identity: { readonly provider: Provider; readonly model: string },
  rules: KeyRules,
): ChatModel {
  return {
    ...identity,
    async complete(request) {
      const key = chatKey(identity.provider, identity.model, request, rules);
      const taken = cassette.take('llm', key);
      const result = taken.ok ? parseChatResult(taken.response) : null;
      if (result) return result;
      const message = taken.ok
        ? `the cassette's answer to request ${key.slice(0, 12)} cannot be read`
        : `the cassette holds no answer to request ${key.slice(0, 12)}`;
      return { ok: false, failure: { reason: 'replay_miss', message }, attempts: 0, latencyMs: 0 };
    },
    close: async () => undefined,
  };
}

/** A recorded echo is redacted and a live one is not, so a key must not depend on it. */
function withoutEchoes(request: ChatRequest): ChatRequest {
  const messages = request.messages.map((message): ChatMessage => {
    if (message.role !== 'assistant') return message;
    const { echo: _, ...rest } = message;
    return rest;
  });
  return { ...request, messages };
}

function requestJson(provider: Provider, model: string, request: ChatRequest): Json {
  const { system, messages, tools = [], toolChoice = 'auto' } = request;
  return jsonOf({
    provider,
    model,
    messages: [{ role: 'system', text: system }, ...messages],
    tools,
    toolChoice,
  });
}

/** The JSON form of plain data. */
function jsonOf(value: ChatResult | object): Json {
  const json: Json = JSON.parse(JSON.stringify(value));
  return json;
}
