import type { ChatModel, ChatRequest } from '../../src/llm/chat.js';
import type { ChatModelOptions } from '../../src/llm/chat-model.js';
import { createChatModel } from '../../src/llm/chat-model.js';
import { type Credentials, discoverCredentials } from '../../src/llm/credentials.js';
import { type Clock, type Deadline, deadlineIn, systemClock } from '../../src/llm/deadline.js';
import type { EnvRecord } from '../../src/llm/env-view.js';

/** The smallest useful question. */
export const QUESTION: ChatRequest = {
  system: 'You diagnose.',
  messages: [{ role: 'user', text: 'Why is the disk full?' }],
  maxOutputTokens: 600,
  temperature: 0.2,
};

/** A clock on which waiting takes no time but is noted. */
export function notingClock(): Clock & { readonly waits: number[] } {
  const waits: number[] = [];
  return {
    waits,
    now: () => systemClock.now(),
    sleep: async (ms) => {
      waits.push(ms);
    },
  };
}

export function openAiAt(origin: string, more: EnvRecord = {}): Credentials {
  return discoverCredentials({
    OPENAI_BASE_URL: `${origin}/v1`,
    OPENAI_API_KEY: 'sk-key-for-tests',
    LLM_MODEL: 'test-model',
    ...more,
  });
}

export function anthropicAt(origin: string, more: EnvRecord = {}): Credentials {
  return discoverCredentials({
    ANTHROPIC_BASE_URL: origin,
    ANTHROPIC_API_KEY: 'sk-ant-key-for-tests',
    LLM_MODEL: 'test-model',
    ...more,
  });
}

/** A model with waits that take no time and without jitter. */
export function modelFor(credentials: Credentials, more: Partial<ChatModelOptions> = {}): ChatModel {
  return createChatModel({
    credentials,
    env: {},
    redact: (text) => text,
    clock: notingClock(),
    random: () => 0,
    ...more,
  });
}

/** Far enough away that a test which meets it has failed. */
export function farDeadline(): Deadline {
  return deadlineIn(30_000);
}
