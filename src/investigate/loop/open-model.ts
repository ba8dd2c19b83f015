import { createBudget } from '../../llm/budget.js';
import type { ChatModel } from '../../llm/chat.js';
import { createChatModel } from '../../llm/chat-model.js';
import { discoverCredentials, INVESTIGATE_DISCOVERY } from '../../llm/credentials.js';
import { deadlineIn } from '../../llm/deadline.js';
import type { InvestigateConfig } from '../config.js';
import type { Baseline, ModelOutcome } from '../run.js';
import { converse } from './converse.js';

type Env = Readonly<Record<string, string | undefined>>;

const ON = /^(?:1|true|yes|on)$/i;

/** The model that an environment names, or null: none, or it is switched off (spec 07 B12). */
export function openModel(env: Env, redact: (text: string) => string): ChatModel | null {
  if (ON.test(env['ROBUSTNESS_LLM_RCA_DISABLED']?.trim() ?? '')) return null;
  const credentials = discoverCredentials(env, INVESTIGATE_DISCOVERY);
  return credentials.key === '' ? null : createChatModel({ credentials, env, redact });
}

/** Keys and other values that must not leave with a request. */
export function modelSecrets(env: Env): string[] {
  const { key, headers } = discoverCredentials(env, INVESTIGATE_DISCOVERY);
  return [key, ...Object.values(headers)].filter((value) => value !== '');
}

/** Goes on with a model within the limits of the configuration. */
export function modelContinuation(
  model: ChatModel,
  config: InvestigateConfig,
  signal: AbortSignal,
  nonce?: string,
): (baseline: Baseline) => Promise<ModelOutcome> {
  return async (baseline) => {
    const spentS = baseline.setup.now() - baseline.startedUnix;
    const deadline = deadlineIn((config.maxWallS - spentS) * 1000, {
      signal,
      remainingMs: () => (signal.aborted ? 0 : Number.POSITIVE_INFINITY),
    });
    try {
      const budget = createBudget({
        maxRequests: config.maxModelRequests,
        maxInputTokens: config.maxInputTokens,
        maxOutputTokens: config.maxOutputTokens,
      });
      return await converse(baseline, { model, budget, deadline, ...(nonce === undefined ? {} : { nonce }) });
    } finally {
      deadline.clear();
    }
  };
}
