import { isKilled } from '../../decision/rca/engine-choice.js';
import { redactorFor } from '../../foreign/redact.js';
import type { Price } from '../../llm/budget.js';
import { createChatModel } from '../../llm/chat-model.js';
import { type Credentials, discoverCredentials } from '../../llm/credentials.js';
import type { Clock } from '../../llm/deadline.js';
import { createEmbedder } from '../../llm/embeddings.js';
import { checkEndpoint } from '../../llm/endpoint.js';
import { PATIENT_RETRIES, type RetryPolicy } from '../../llm/retry.js';
import type { SelfeditConfig } from '../../selfedit/config/fields.js';
import type { Executor } from '../../selfedit/executor/executor.js';
import { ask, type ModelRole, modelExecutor, worstCase } from '../../selfedit/executor/model-executor.js';
import type { Judge } from '../../selfedit/judge/judge.js';
import { modelJudge } from '../../selfedit/judge/model-judge.js';
import { type DriftSource, NGRAM_DRIFT } from '../../selfedit/prompt/drift-source.js';
import { embeddingDrift } from '../../selfedit/prompt/embedding-drift.js';
import type { LiveAsker } from '../../selfedit/reviews/shadow.js';
import type { EmbeddingStore } from '../../selfedit/store/embedding-store.js';
import type { CommandIo } from '../shared/command.js';
import { UserError } from '../shared/user-error.js';

/** The models of a run. */
export interface Models {
  readonly executor: Executor;
  readonly analyzer: ModelRole;
  /** The executor's model, for questions as sessions put them. */
  readonly live: LiveAsker;
  /** Null: none is configured. */
  readonly judge: Judge | null;
  /** The measure of `drift_method`; it keeps vectors in the given store. */
  drift(store: EmbeddingStore): DriftSource;
  /** All prices are known. */
  readonly isPriced: boolean;
  /** None costs anything, as far as is known. */
  readonly isFree: boolean;
  close(): Promise<void>;
}

/** What tests bring. */
export interface ModelDeps {
  readonly clock?: Clock;
  readonly attemptTimeoutMs?: number;
}

const MAX_RETRIES = 4;
const EXECUTOR_TOKENS = 800;
const ANALYZER_TOKENS = 4_000;
const JUDGE_TOKENS = 400;
const ANSWER_MS = 300_000;

/**
 * The models of all roles from the environment's endpoint, each with its price and limits (spec 08 §22).
 *
 * @throws UserError `RA_SELFEDIT_PROVIDER` without a usable endpoint, `RA_SELFEDIT_PRICE` for a model without a price
 */
export function createModels(
  config: SelfeditConfig,
  io: Pick<CommandIo, 'env'>,
  deps: ModelDeps = {},
): Models {
  const executor = roleOf('executor', config, io, EXECUTOR_TOKENS, deps);
  const analyzer = roleOf('analyzer', config, io, ANALYZER_TOKENS, deps);
  // A judge is asked for by naming its model: a prompt should not be rated by what it runs on.
  const judge =
    config.roles.judge.model === undefined ? null : roleOf('judge', config, io, JUDGE_TOKENS, deps);
  const embedding = config.drift_method === 'embedding' ? embeddingOf(config, io, deps) : null;
  const prices = [executor, analyzer, ...(judge ? [judge] : []), ...(embedding ? [embedding] : [])].map(
    ({ price }) => price,
  );
  return {
    executor: modelExecutor(executor, config.roles.executor.deterministic === true),
    analyzer,
    live: {
      model: executor.chat.model,
      ask: (prompt, question) => ask(executor, prompt, question),
      worstCaseUsd: (prompt, question) => worstCase(executor, prompt.length + question.length),
    },
    judge: judge && modelJudge(judge),
    drift: (store) =>
      embedding === null ? NGRAM_DRIFT : embeddingDrift({ ...embedding, store, timeoutMs: ANSWER_MS }),
    isPriced: prices.every((price) => price !== null),
    isFree: prices.every((price) => (price?.inputUsd ?? 0) + (price?.outputUsd ?? 0) === 0),
    async close() {
      await Promise.all(
        [executor.chat, analyzer.chat, judge?.chat, embedding?.embedder].map((one) => one?.close()),
      );
    },
  };
}

type RoleName = 'executor' | 'analyzer' | 'judge' | 'embedding';

interface FoundModel {
  readonly credentials: Credentials;
  /** Without secrets. */
  readonly endpoint: string;
  readonly price: Price | null;
}

/** Endpoint, model and price of a role. @throws UserError */
function findModel(name: RoleName, config: SelfeditConfig, env: NodeJS.ProcessEnv): FoundModel {
  if (isKilled(env)) throw provider('calls to models are turned off by ROBUSTNESS_LLM_RCA_DISABLED');
  const { model } = config.roles[name];
  const found = discoverCredentials(env);
  const credentials = model === undefined ? found : { ...found, model };
  const check = checkEndpoint(credentials);
  if (!check.ok) throw provider(check.problem);
  const listed = config.prices[credentials.model];
  if (listed === undefined && !config.allow_unpriced) {
    throw new UserError({
      code: 'RA_SELFEDIT_PRICE',
      happened: `the price of the model ${credentials.model} (${name}) is not known`,
      expected: 'selfedit.prices with US dollars per million tokens; 0 for a local model',
      todo: 'add it, or set selfedit.allow_unpriced',
    });
  }
  const price = listed === undefined ? null : { inputUsd: listed.in, outputUsd: listed.out };
  return { credentials, endpoint: check.endpoint.shown, price };
}

function retriesOf({ attemptTimeoutMs }: ModelDeps): RetryPolicy {
  return {
    ...PATIENT_RETRIES,
    maxRetries: MAX_RETRIES,
    firstWaitMs: 1_000,
    longestWaitMs: 8_000,
    ...(attemptTimeoutMs !== undefined && { attemptTimeoutMs }),
  };
}

function embeddingOf(config: SelfeditConfig, { env }: Pick<CommandIo, 'env'>, deps: ModelDeps) {
  const { credentials, price } = findModel('embedding', config, env);
  const embedder = createEmbedder({
    credentials,
    env,
    redact: redactorFor(env),
    retries: retriesOf(deps),
    ...(deps.clock && { clock: deps.clock }),
  });
  return { embedder, price };
}

function roleOf(
  name: Exclude<RoleName, 'embedding'>,
  config: SelfeditConfig,
  { env }: Pick<CommandIo, 'env'>,
  maxOutputTokens: number,
  deps: ModelDeps,
): ModelRole {
  const { credentials, endpoint, price } = findModel(name, config, env);
  const role = config.roles[name];
  const chat = createChatModel({
    credentials,
    env,
    redact: redactorFor(env),
    retries: retriesOf(deps),
    ...(deps.clock && { clock: deps.clock }),
  });
  return {
    chat,
    price,
    temperature: role.temperature,
    endpoint,
    maxOutputTokens: role.max_output_tokens ?? maxOutputTokens,
    timeoutMs: ANSWER_MS,
  };
}

function provider(problem: string): UserError {
  return new UserError({
    code: 'RA_SELFEDIT_PROVIDER',
    happened: problem,
    todo: 'nothing was spent; the variables are listed in docs/llm.md',
  });
}
