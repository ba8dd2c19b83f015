import type { ParsedAnswer, PreparedCall } from './adapter.js';
import { attemptOnce, stopped } from './attempt.js';
import type { Credentials } from './credentials.js';
import { type Clock, type Deadline, systemClock } from './deadline.js';
import { checkEndpoint } from './endpoint.js';
import type { EnvRecord } from './env-view.js';
import type { LlmFailure } from './failure.js';
import { countOf, isRecord, type JsonRecord, listOr, recordOr } from './json.js';
import { openAiClients } from './openai-clients.js';
import { type Redact, redactWithOwn } from './redaction.js';
import { PATIENT_RETRIES, type RetryPolicy, waitBeforeRetry } from './retry.js';
import { createTransport } from './transport.js';

/** What became of a request for vectors; `attempts` counts the HTTP requests made. */
export type EmbeddingResult =
  | {
      readonly ok: true;
      /** One per text, in order, all of one length. */
      readonly vectors: readonly (readonly number[])[];
      /** Absent when the endpoint sent no usage block. */
      readonly inputTokens?: number;
      readonly attempts: number;
    }
  | { readonly ok: false; readonly failure: LlmFailure; readonly attempts: number };

/** An endpoint that turns texts into vectors. Never throws: whatever goes wrong is in the result. */
export interface Embedder {
  readonly model: string;
  embed(texts: readonly string[], deadline: Deadline): Promise<EmbeddingResult>;
  close(): Promise<void>;
}

export interface EmbedderOptions {
  /** Of an OpenAI-compatible endpoint, with the name of the embedding model. */
  readonly credentials: Credentials;
  readonly env: EnvRecord;
  readonly redact: Redact;
  readonly retries?: RetryPolicy;
  readonly clock?: Clock;
  readonly random?: () => number;
}

const MAX_DIMENSIONS = 16_384;

/** Embeddings over the `openai` library, which is loaded with the first request; the other protocol has none. */
export function createEmbedder(options: EmbedderOptions): Embedder {
  const { credentials, retries = PATIENT_RETRIES, clock = systemClock, random = Math.random } = options;
  const transport = createTransport({ env: options.env });
  const redact = redactWithOwn(options.redact, credentials);
  const refused = (reason: LlmFailure['reason'], message: string): EmbeddingResult => ({
    ok: false,
    failure: { reason, message: message.slice(0, 300) },
    attempts: 0,
  });
  return {
    model: credentials.model,
    async embed(texts, deadline) {
      const check = checkEndpoint(credentials);
      if (!check.ok) return refused('not_configured', check.problem);
      if (credentials.provider !== 'openai') {
        return refused(
          'not_configured',
          'this endpoint has no embeddings; an OpenAI-compatible one is needed',
        );
      }
      const connect = await openAiClients(credentials, check.endpoint).catch((error: unknown) =>
        String(error),
      );
      if (typeof connect === 'string') return refused('library_missing', redact(connect));
      const body = { model: credentials.model, input: texts.map(redact), encoding_format: 'float' as const };
      const call: PreparedCall = {
        keys: Object.keys(body),
        characters: JSON.stringify(body).length,
        async send({ fetch: send, signal, timeoutMs }) {
          await connect(send).embeddings.create(body, { signal, timeout: timeoutMs }).asResponse();
        },
      };
      for (let attempts = 1; ; attempts += 1) {
        const outcome = await attemptOnce<Vectors>(call, deadline, {
          adapter: { parse: (answer) => parseEmbeddings(answer, texts.length) },
          transport,
          redact,
          clock,
          wallNow: Date.now,
          timeoutMs: retries.attemptTimeoutMs,
        });
        if (outcome.ok) return { ok: true, ...outcome.reply, attempts };
        const { failure } = outcome;
        const wait = waitBeforeRetry(failure, attempts - 1, deadline.remainingMs(), retries, random);
        if (wait === null) return { ok: false, failure, attempts };
        await clock.sleep(wait, deadline.signal);
        if (deadline.signal.aborted) return { ok: false, failure: stopped(deadline.signal), attempts };
      }
    },
    close: () => transport.close(),
  };
}

interface Vectors {
  readonly vectors: readonly (readonly number[])[];
  readonly inputTokens?: number;
}

/** Reads a list of embeddings; anything but one usable vector for each text is refused. */
export function parseEmbeddings(body: JsonRecord, count: number): ParsedAnswer<Vectors> {
  const tokens = countOf(recordOr(body['usage'])['prompt_tokens']);
  const bad = (problem: string): ParsedAnswer<Vectors> => ({
    ok: false,
    problem,
    usage:
      tokens === undefined
        ? undefined
        : { inputTokens: tokens, outputTokens: 0, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 },
  });
  const rows = listOr(body['data']).filter(isRecord);
  if (rows.length !== count) return bad(`the answer has ${rows.length} embeddings for ${count} texts`);
  const vectors = new Array<readonly number[]>(count);
  for (const [position, row] of rows.entries()) {
    const vector = listOr(row['embedding']);
    const index = countOf(row['index']) ?? position;
    if (!isVector(vector)) return bad(`embedding ${index} is no vector of numbers`);
    vectors[index] = vector;
  }
  const length = vectors[0]?.length ?? 0;
  for (let i = 0; i < count; i += 1) {
    if (vectors[i]?.length !== length) return bad('the embeddings are not one of equal length for each text');
  }
  return { ok: true, reply: { vectors, ...(tokens !== undefined && { inputTokens: tokens }) } };
}

function isVector(value: readonly unknown[]): value is readonly number[] {
  return (
    value.length > 0 &&
    value.length <= MAX_DIMENSIONS &&
    value.every((item) => typeof item === 'number' && Number.isFinite(item)) &&
    value.some((item) => item !== 0)
  );
}
