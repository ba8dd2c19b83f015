import type { Adapter } from './adapter.js';
import { anthropicAdapter } from './anthropic-adapter.js';
import { type AttemptOutcome, attemptOnce, stopped } from './attempt.js';
import type { Budget } from './budget.js';
import type { ChatModel, ChatReply, ChatRequest, ChatResult } from './chat.js';
import type { Credentials } from './credentials.js';
import { type Clock, type Deadline, deadlineIn, systemClock } from './deadline.js';
import { checkEndpoint, type Endpoint } from './endpoint.js';
import type { EnvRecord } from './env-view.js';
import type { LlmFailure } from './failure.js';
import type { JsonRecord } from './json.js';
import { mendRequest } from './mend.js';
import { openAiAdapter } from './openai-adapter.js';
import { createEndpointMemory, type EndpointMemory } from './quirks.js';
import { type Redact, redactRequest, redactWithOwn } from './redaction.js';
import { PATIENT_RETRIES, type RetryPolicy, waitBeforeRetry } from './retry.js';
import { createTransport } from './transport.js';
import type { UsageMeter } from './usage.js';

export interface ChatModelOptions {
  readonly credentials: Credentials;
  /** Only the proxy variables are read from it. */
  readonly env: EnvRecord;
  /** Applied to every text of a request before it leaves, and to every text of a failure. */
  readonly redact: Redact;
  readonly retries?: RetryPolicy;
  readonly budget?: Budget;
  readonly meter?: UsageMeter;
  readonly memory?: EndpointMemory;
  /** Further body fields, sent with every request. */
  readonly extraBody?: JsonRecord;
  readonly maxBytes?: number;
  readonly clock?: Clock;
  readonly wallNow?: () => number;
  /** Uniform in [0, 1). */
  readonly random?: () => number;
}

const NO_LIMIT = Number.POSITIVE_INFINITY;

/**
 * A chat endpoint with everything that real ones need: redaction, one deadline, retries, mending of requests that the
 * endpoint refuses for their form or length, budget and accounting. The client library is loaded with the first request.
 */
export function createChatModel(options: ChatModelOptions): ChatModel {
  const { credentials } = options;
  const transport = createTransport({
    env: options.env,
    ...(options.maxBytes && { maxBytes: options.maxBytes }),
  });
  const settings: Settings = {
    retries: options.retries ?? PATIENT_RETRIES,
    memory: options.memory ?? createEndpointMemory(),
    redact: redactWithOwn(options.redact, credentials),
    clock: options.clock ?? systemClock,
    wallNow: options.wallNow ?? Date.now,
    random: options.random ?? Math.random,
    budget: options.budget,
    meter: options.meter,
    transport,
    provider: credentials.provider,
  };
  let adapter: Promise<Adapter> | undefined;
  const connect = (endpoint: Endpoint): Promise<Adapter> => {
    const make = credentials.provider === 'openai' ? openAiAdapter : anthropicAdapter;
    adapter ??= make(credentials, endpoint, options.extraBody ?? {});
    return adapter;
  };
  return {
    provider: credentials.provider,
    model: credentials.model,
    async complete(request, deadline) {
      const check = checkEndpoint(credentials);
      if (!check.ok) return refused('not_configured', check.problem);
      const loaded = await connect(check.endpoint).catch((error: unknown) => String(error));
      if (typeof loaded === 'string') return refused('library_missing', settings.redact(loaded));

      const key = `${credentials.provider} ${check.endpoint.shown} ${credentials.model}`;
      const own = deadlineIn(settings.budget?.remainingMs() ?? NO_LIMIT, deadline, settings.clock);
      const begun = settings.clock.now();
      try {
        const outcome = await converse(redactRequest(request, settings.redact), own, loaded, key, settings);
        const latencyMs = settings.clock.now() - begun;
        if (outcome.ok) settings.meter?.succeeded(outcome.reply.usage, latencyMs);
        return { ...outcome, latencyMs };
      } catch (error) {
        // What cannot be redacted or put into the protocol's form does not leave, and its text is not repeated.
        return refused(
          'bad_request',
          `the request could not be made (${error instanceof Error ? error.name : typeof error})`,
        );
      } finally {
        own.clear();
      }
    },
    close: () => transport.close(),
  };
}

interface Settings {
  readonly retries: RetryPolicy;
  readonly memory: EndpointMemory;
  readonly redact: Redact;
  readonly clock: Clock;
  readonly wallNow: () => number;
  readonly random: () => number;
  readonly budget: Budget | undefined;
  readonly meter: UsageMeter | undefined;
  readonly transport: ReturnType<typeof createTransport>;
  readonly provider: Credentials['provider'];
}

type Outcome =
  | { readonly ok: true; readonly reply: ChatReply; readonly attempts: number }
  | { readonly ok: false; readonly failure: LlmFailure; readonly attempts: number };

/** Attempts until an answer, a final failure, or the end of time, retries or budget. */
async function converse(
  first: ChatRequest,
  deadline: Deadline,
  adapter: Adapter,
  key: string,
  settings: Settings,
): Promise<Outcome> {
  let request = first;
  let attempts = 0;
  let retriesDone = 0;
  const mended = { parameters: 0, hasShrunk: false };
  let last: LlmFailure | undefined;
  for (;;) {
    const barrier = barrierOf(deadline, settings);
    if (barrier) return { ok: false, failure: last && !deadline.signal.aborted ? last : barrier, attempts };

    attempts += 1;
    const outcome = await attempt(request, deadline, adapter, key, settings);
    if (outcome.ok) {
      learnFromReply(outcome.reply, request, key, settings.memory);
      return { ok: true, reply: outcome.reply, attempts };
    }
    last = outcome.failure;

    const better = mendRequest(request, outcome, { ...settings, key, mended });
    if (better) {
      request = better;
      continue;
    }
    const wait = waitBeforeRetry(
      last,
      retriesDone,
      deadline.remainingMs(),
      settings.retries,
      settings.random,
    );
    if (wait === null) return { ok: false, failure: last, attempts };
    retriesDone += 1;
    await settings.clock.sleep(wait, deadline.signal);
  }
}

async function attempt(
  request: ChatRequest,
  deadline: Deadline,
  adapter: Adapter,
  key: string,
  settings: Settings,
): Promise<AttemptOutcome & { readonly keys: readonly string[] }> {
  const { budget, meter, retries } = settings;
  const call = adapter.prepare(request, settings.memory.recall(key));
  budget?.request();
  const outcome = await attemptOnce(call, deadline, {
    ...settings,
    adapter,
    timeoutMs: retries.attemptTimeoutMs,
  });
  const usage = outcome.ok ? outcome.reply.usage : outcome.usage;
  // Endpoints do not bill what they refused, but an answer that we cannot use was computed.
  if (outcome.ok || outcome.failure.reason === 'bad_answer') {
    budget?.charge(usage, call.characters, outcome.characters);
  }
  if (!outcome.ok) meter?.failed(usage);
  return { ...outcome, keys: call.keys };
}

/** Why no attempt may be made now. */
function barrierOf(deadline: Deadline, { budget, retries }: Settings): LlmFailure | null {
  const limit = budget?.exceeded();
  if (limit)
    return { reason: 'budget_exhausted', message: `the budget for ${limit.replace('_', ' ')} is used up` };
  if (deadline.signal.aborted) return stopped(deadline.signal);
  if (deadline.remainingMs() >= retries.leastRemainingMs) return null;
  const least = (retries.leastRemainingMs / 1000).toFixed(1);
  return { reason: 'timed_out', message: `less than ${least} s were left, too little for a request` };
}

/** An answer that was all hidden reasoning, cut at the limit, needs more room the next time (spec 05 B.12.4). */
function learnFromReply(reply: ChatReply, request: ChatRequest, key: string, memory: EndpointMemory): void {
  if (!reply.reasoningOnly || reply.finish !== 'length') return;
  const asked = Math.max(request.maxOutputTokens, memory.recall(key).leastOutputTokens ?? 0);
  memory.learn(key, { leastOutputTokens: Math.min(16_384, asked * 4) });
}

function refused(reason: LlmFailure['reason'], message: string): ChatResult {
  return { ok: false, failure: { reason, message: message.slice(0, 300) }, attempts: 0, latencyMs: 0 };
}
