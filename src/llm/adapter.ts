import type { ChatReply, ChatRequest } from './chat.js';
import type { JsonRecord } from './json.js';
import type { Quirks } from './quirks.js';
import type { TokenUsage } from './usage.js';

/** How one request is sent. */
export interface SendOptions {
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** A body ready to be sent. */
export interface PreparedCall {
  /** Its keys, by which a refusal is understood. */
  readonly keys: readonly string[];
  /** Characters in it, for budgets where the provider counts no tokens. */
  readonly characters: number;
  /** Sends it once, without retries; rejects as the client library does. */
  send(options: SendOptions): Promise<void>;
}

/** What an answer says; `usage` also of one that cannot be used, because it was billed. */
export type ParsedAnswer<R = ChatReply> =
  | { readonly ok: true; readonly reply: R }
  | { readonly ok: false; readonly problem: string; readonly usage: TokenUsage | undefined };

/** Reads a decoded 2xx body. */
export interface AnswerParser<R = ChatReply> {
  parse(body: JsonRecord): ParsedAnswer<R>;
}

/** One protocol over one client library. */
export interface Adapter extends AnswerParser {
  /** Puts a request into the protocol's form. */
  prepare(request: ChatRequest, quirks: Quirks): PreparedCall;
}
