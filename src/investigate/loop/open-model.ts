import { type Budget, createBudget, type Price } from '../../llm/budget.js';
import type { ChatModel } from '../../llm/chat.js';
import { createChatModel } from '../../llm/chat-model.js';
import { type Credentials, discoverCredentials, INVESTIGATE_DISCOVERY } from '../../llm/credentials.js';
import { deadlineIn } from '../../llm/deadline.js';
import type { InvestigateConfig } from '../config.js';
import type { Baseline, ModelOutcome } from '../run.js';
import { converse, type LoopOptions } from './converse.js';

type Env = Readonly<Record<string, string | undefined>>;

const ON = /^(?:1|true|yes|on)$/i;

/**
 * The model that an environment names, or null: none, or it is switched off (spec 07 B12).
 *
 * @param name takes the place of the name that the environment gives; empty for none
 */
export function openModel(env: Env, redact: (text: string) => string, name = ''): ChatModel | null {
  if (ON.test(env['ROBUSTNESS_LLM_RCA_DISABLED']?.trim() ?? '')) return null;
  const credentials = modelCredentials(env, name);
  return credentials.key === '' ? null : createChatModel({ credentials, env, redact });
}

/** Endpoint, key and model as {@link openModel} uses them. */
export function modelCredentials(env: Env, name = ''): Credentials {
  return discoverCredentials(name === '' ? env : { ...env, INVESTIGATE_MODEL: name }, INVESTIGATE_DISCOVERY);
}

/** Keys and other values that must not leave with a request. */
export function modelSecrets(env: Env): string[] {
  const { key, headers } = discoverCredentials(env, INVESTIGATE_DISCOVERY);
  return [key, ...Object.values(headers)].filter((value) => value !== '');
}

/** A model whose cost can be kept within the limit, or why it is not asked. */
export function withinCost(
  model: ChatModel,
  { maxCostUsd, prices }: InvestigateConfig,
): { readonly model: ChatModel | null; readonly warning: string | null } {
  if (maxCostUsd === null || prices[model.model] !== undefined) return { model, warning: null };
  const warning = `the model ${model.model} was not asked: its price is not known, so investigate_max_cost_usd could not be kept; add it to investigate_prices`;
  return { model: null, warning };
}

export interface ContinuationOptions extends Pick<LoopOptions, 'duties' | 'onEnd'> {
  readonly model: ChatModel;
  /** Gives the second opinion; the same model unless given. */
  readonly verifier?: ChatModel;
  readonly config: InvestigateConfig;
  readonly signal: AbortSignal;
  /** Marks what is data; from a cassette in a replay. */
  readonly nonce?: string;
}

/** Goes on with a model within the limits of the configuration. */
export function modelContinuation(
  options: ContinuationOptions,
): (baseline: Baseline) => Promise<ModelOutcome> {
  const { model, verifier = model, config, signal, nonce } = options;
  return async (baseline) => {
    const spentS = baseline.setup.now() - baseline.startedUnix;
    const deadline = deadlineIn((config.maxWallS - spentS) * 1000, {
      signal,
      remainingMs: () => (signal.aborted ? 0 : Number.POSITIVE_INFINITY),
    });
    const verifierPrice = config.prices[verifier.model];
    try {
      return await converse(baseline, {
        model,
        verifier: { model: verifier, ...(verifierPrice && { price: verifierPrice }) },
        budget: budgetOf(config, config.prices[model.model]),
        deadline,
        ...(nonce === undefined ? {} : { nonce }),
        ...(options.duties !== undefined && { duties: options.duties }),
        ...(options.onEnd && { onEnd: options.onEnd }),
      });
    } finally {
      deadline.clear();
    }
  };
}

function budgetOf(config: InvestigateConfig, price: Price | undefined): Budget {
  const { maxCostUsd: usd } = config;
  return createBudget({
    maxRequests: config.maxModelRequests,
    maxInputTokens: config.maxInputTokens,
    maxOutputTokens: config.maxOutputTokens,
    ...(usd !== null && price !== undefined && { maxCost: { usd, price } }),
  });
}
