import type { Deadline } from './deadline.js';
import type { LlmFailure } from './failure.js';
import type { JsonRecord } from './json.js';
import type { TokenUsage } from './usage.js';

/** Which protocol an endpoint speaks. */
export type Provider = 'openai' | 'anthropic';

/** A tool that the model may call. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, an object schema. */
  readonly parameters: JsonRecord;
}

/** `none` forbids calls; a named tool must be called. */
export type ToolChoice = 'auto' | 'none' | { readonly tool: string };

/** The arguments of a call, or why they could not be read: a tool error for the model, not a failure of the request. */
export type ToolArguments =
  | { readonly ok: true; readonly value: JsonRecord }
  | { readonly ok: false; readonly raw: string; readonly problem: string };

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: ToolArguments;
}

export interface ToolResult {
  readonly callId: string;
  readonly content: string;
  readonly isError: boolean;
}

export interface UserMessage {
  readonly role: 'user';
  readonly text: string;
}

export interface AssistantMessage {
  readonly role: 'assistant';
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  /** The provider's own form of this message; sent back unchanged, because reasoning blocks are signed. */
  readonly echo?: { readonly provider: Provider; readonly message: JsonRecord };
}

/** All results of one assistant turn, in the order of its calls. */
export interface ToolMessage {
  readonly role: 'tool';
  readonly results: readonly ToolResult[];
}

export type ChatMessage = UserMessage | AssistantMessage | ToolMessage;

export interface ChatRequest {
  readonly system: string;
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly ToolDefinition[];
  readonly toolChoice?: ToolChoice;
  readonly maxOutputTokens: number;
  /** Left out where the model or the endpoint refuses it. */
  readonly temperature?: number;
  /** Marks the system text for the provider's prompt cache, where there is a way to say so. */
  readonly cacheSystem?: boolean;
}

/**
 * Why the model stopped. `length`: the output limit, or the window, cut it; `refusal`: it declined, or a filter took the
 * answer; `other`: a reason we do not know.
 */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'refusal' | 'other';

export interface ChatReply {
  /** Trimmed; empty when the answer had no text. */
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly finish: FinishReason;
  /** No text and no call came, only (hidden) reasoning: usually the output limit was too small for it. */
  readonly reasoningOnly: boolean;
  /** Absent when the endpoint sent no usage block. */
  readonly usage?: TokenUsage;
  /** To append to the conversation. */
  readonly message: AssistantMessage;
}

/** What became of one request. `attempts` counts the HTTP requests made; `latencyMs` includes waits between them. */
export type ChatResult =
  | { readonly ok: true; readonly reply: ChatReply; readonly attempts: number; readonly latencyMs: number }
  | {
      readonly ok: false;
      readonly failure: LlmFailure;
      readonly attempts: number;
      readonly latencyMs: number;
    };

/** A chat endpoint. Never throws: whatever goes wrong is in the result. */
export interface ChatModel {
  readonly provider: Provider;
  readonly model: string;
  /** Resolves at the latest at the deadline. */
  complete(request: ChatRequest, deadline: Deadline): Promise<ChatResult>;
  /** Closes the connections. */
  close(): Promise<void>;
}
