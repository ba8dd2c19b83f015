import { costUsd, type Price } from '../../llm/budget.js';
import type { ChatModel, ChatResult } from '../../llm/chat.js';
import { deadlineIn } from '../../llm/deadline.js';
import type { FailureReason, LlmFailure } from '../../llm/failure.js';
import { caseText } from '../cases/case-text.js';
import type { CallResult, CallUsage, ErrorKind, Executor } from './executor.js';

/** A model behind the chat layer. */
export interface ModelRole {
  readonly chat: ChatModel;
  /** Null: unknown, and allowed to be. */
  readonly price: Price | null;
  readonly temperature: number | undefined;
  readonly maxOutputTokens: number;
  /** Where it is asked, without secrets. */
  readonly endpoint: string;
  /** For one answer with all its retries, milliseconds. */
  readonly timeoutMs: number;
}

const CHARACTERS_PER_TOKEN = 4;
/** Tokens per character that no tokenizer exceeds on such texts, for upper bounds. */
const MOST_TOKENS_PER_CHARACTER = 0.5;
/** An answer of six sentences. */
const LIKELY_OUTPUT_TOKENS = 200;

/** Asks a model with a prompt as system text and a case as user text. */
export function modelExecutor(role: ModelRole, isDeterministic: boolean): Executor {
  return {
    model: role.chat.model,
    fingerprint: [role.chat.model, role.endpoint, role.temperature ?? 'default', role.maxOutputTokens].join(
      ' ',
    ),
    isDeterministic,
    answer: (prompt, testCase) => ask(role, prompt, caseText(testCase)),
    worstCaseUsd(prompt, testCase) {
      return worstCase(role, prompt.length + caseText(testCase).length);
    },
    likelyUsd(prompt, testCase) {
      return likelyCost(role, prompt.length + caseText(testCase).length);
    },
  };
}

/** What one request with so many characters will probably cost. */
export function likelyCost({ price, maxOutputTokens }: ModelRole, characters: number): number {
  if (price === null) return 0;
  const output = Math.min(LIKELY_OUTPUT_TOKENS, maxOutputTokens);
  return costUsd(tokens(Math.ceil(characters / CHARACTERS_PER_TOKEN), output), price);
}

/** Upper bound of what one request with so many characters can cost. */
export function worstCase({ price, maxOutputTokens }: ModelRole, characters: number): number {
  if (price === null) return 0;
  return costUsd(tokens(Math.ceil(characters * MOST_TOKENS_PER_CHARACTER), maxOutputTokens), price);
}

/** One question with its cost; never throws. */
export async function ask(role: ModelRole, system: string, user: string): Promise<CallResult> {
  const deadline = deadlineIn(role.timeoutMs);
  try {
    const result = await role.chat.complete(
      {
        system,
        messages: [{ role: 'user', text: user }],
        maxOutputTokens: role.maxOutputTokens,
        ...(role.temperature !== undefined && { temperature: role.temperature }),
        cacheSystem: true,
      },
      deadline,
    );
    const usage = usageOf(result, role, system.length + user.length);
    if (!result.ok)
      return { ok: false, kind: kindOf(result.failure), message: result.failure.message, usage };
    if (result.reply.text === '') {
      return { ok: false, kind: 'server', message: 'the answer had no text', usage };
    }
    return { ok: true, text: result.reply.text, usage };
  } finally {
    deadline.clear();
  }
}

function usageOf(result: ChatResult, { price }: ModelRole, sent: number): CallUsage {
  const base = { calls: result.attempts, latencyMs: result.latencyMs };
  if (!result.ok) {
    // An answer that cannot be used was computed all the same; refusals are not billed.
    const isBilled = result.failure.reason === 'bad_answer';
    const spent = isBilled
      ? tokens(Math.ceil(sent / CHARACTERS_PER_TOKEN) * result.attempts, 0)
      : tokens(0, 0);
    return { ...base, ...countsOf(spent), usd: price ? costUsd(spent, price) : 0, estimated: isBilled };
  }
  const { usage, text } = result.reply;
  const spent =
    usage ?? tokens(Math.ceil(sent / CHARACTERS_PER_TOKEN), Math.ceil(text.length / CHARACTERS_PER_TOKEN));
  return {
    ...base,
    ...countsOf(spent),
    usd: price ? costUsd(spent, price) : 0,
    estimated: usage === undefined,
  };
}

type Tokens = Parameters<typeof costUsd>[0];

function tokens(input: number, output: number): Tokens {
  return { inputTokens: input, outputTokens: output, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 };
}

function countsOf(spent: Tokens): Pick<CallUsage, 'inputTokens' | 'outputTokens'> {
  return {
    inputTokens: spent.inputTokens + spent.cacheCreationInputTokens + spent.cacheReadInputTokens,
    outputTokens: spent.outputTokens,
  };
}

const KINDS: Readonly<Record<FailureReason, ErrorKind>> = {
  timed_out: 'timeout',
  cancelled: 'timeout',
  connection: 'network',
  rate_limited: 'rate_limit',
  overloaded: 'rate_limit',
  server_error: 'server',
  bad_answer: 'server',
  unauthorized: 'auth',
  not_configured: 'auth',
  library_missing: 'auth',
  not_found: 'auth',
  budget_exhausted: 'bad_request',
  context_overflow: 'bad_request',
  bad_request: 'bad_request',
  replay_miss: 'bad_request',
};

/** The kind of a failure as the loop counts it; `auth` stands for all that only another configuration can change. */
export function kindOf({ reason }: LlmFailure): ErrorKind {
  return KINDS[reason];
}
