import { isKilled } from '../../decision/rca/engine-choice.js';
import { redactorFor } from '../../foreign/redact.js';
import { createChatModel } from '../../llm/chat-model.js';
import { discoverCredentials } from '../../llm/credentials.js';
import type { Clock } from '../../llm/deadline.js';
import { checkEndpoint } from '../../llm/endpoint.js';
import { PATIENT_RETRIES } from '../../llm/retry.js';
import type { SelfeditConfig } from '../../selfedit/config/fields.js';
import type { Executor } from '../../selfedit/executor/executor.js';
import { type ModelRole, modelExecutor } from '../../selfedit/executor/model-executor.js';
import type { CommandIo } from '../shared/command.js';
import { UserError } from '../shared/user-error.js';

/** The models of a run. */
export interface Models {
  readonly executor: Executor;
  readonly analyzer: ModelRole;
  /** The prices of both are known. */
  readonly isPriced: boolean;
  /** Neither costs anything, as far as is known. */
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
const ANSWER_MS = 300_000;

/**
 * Executor and analyzer from the environment's endpoint, with model, price and limits of their roles (spec 08 §22).
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
  return {
    executor: modelExecutor(executor, config.roles.executor.deterministic === true),
    analyzer,
    isPriced: executor.price !== null && analyzer.price !== null,
    isFree: [executor, analyzer].every(({ price }) => (price?.inputUsd ?? 0) + (price?.outputUsd ?? 0) === 0),
    async close() {
      await Promise.all([executor.chat.close(), analyzer.chat.close()]);
    },
  };
}

function roleOf(
  name: 'executor' | 'analyzer',
  config: SelfeditConfig,
  io: Pick<CommandIo, 'env'>,
  maxOutputTokens: number,
  { clock, attemptTimeoutMs }: ModelDeps,
): ModelRole {
  if (isKilled(io.env)) {
    throw provider('calls to models are turned off by ROBUSTNESS_LLM_RCA_DISABLED');
  }
  const role = config.roles[name];
  const found = discoverCredentials(io.env);
  const credentials = role.model === undefined ? found : { ...found, model: role.model };
  const endpoint = checkEndpoint(credentials);
  if (!endpoint.ok) throw provider(endpoint.problem);
  const listed = config.prices[credentials.model];
  if (listed === undefined && !config.allow_unpriced) {
    throw new UserError({
      code: 'RA_SELFEDIT_PRICE',
      happened: `the price of the model ${credentials.model} (${name}) is not known`,
      expected: 'selfedit.prices with US dollars per million tokens; 0 for a local model',
      todo: 'add it, or set selfedit.allow_unpriced',
    });
  }
  const chat = createChatModel({
    credentials,
    env: io.env,
    redact: redactorFor(io.env),
    retries: {
      ...PATIENT_RETRIES,
      maxRetries: MAX_RETRIES,
      firstWaitMs: 1_000,
      longestWaitMs: 8_000,
      ...(attemptTimeoutMs !== undefined && { attemptTimeoutMs }),
    },
    ...(clock && { clock }),
  });
  return {
    chat,
    price: listed === undefined ? null : { inputUsd: listed.in, outputUsd: listed.out },
    temperature: role.temperature,
    endpoint: endpoint.endpoint.shown,
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
