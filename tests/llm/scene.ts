import { afterEach } from 'vitest';
import type { ChatModel } from '../../src/llm/chat.js';
import type { Credentials } from '../../src/llm/credentials.js';
import {
  anthropicMessage,
  completion,
  type Play,
  type ProviderServer,
  type SeenRequest,
  startProvider,
} from '../support/provider-server.js';
import { anthropicAt, openAiAt } from './support.js';

/** A protocol with an endpoint that speaks it and an answer in it. */
export interface Protocol {
  readonly name: string;
  readonly at: (origin: string) => Credentials;
  readonly answer: Play;
}

export const PROTOCOLS: readonly Protocol[] = [
  { name: 'openai', at: openAiAt, answer: completion({ content: 'fine' }) },
  { name: 'anthropic', at: anthropicAt, answer: anthropicMessage([{ type: 'text', text: 'fine' }]) },
];

/** Closed after each test. */
export const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

/** A scripted provider that is closed after the test. */
export async function provider(
  script: readonly Play[] | ((request: SeenRequest, index: number) => Play),
): Promise<ProviderServer> {
  const server = await startProvider(script);
  open.push(server);
  return server;
}

/** A model that is closed after the test. */
export function opened(model: ChatModel): ChatModel {
  open.push(model);
  return model;
}

/** An answer with this status. */
export function status(code: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Play {
  return { status: code, body, headers };
}
