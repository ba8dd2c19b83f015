import type { Provider } from './chat.js';
import { parseCustomHeaders } from './custom-headers.js';
import { DEEPSEEK_MODEL, isDeepSeekHost, withDeepSeek } from './deepseek.js';
import { type EnvRecord, firstSet } from './env-view.js';

/** Where to ask which model, and with what; everything that a chat client needs to know about an endpoint. */
export interface Credentials {
  readonly provider: Provider;
  /** Empty when nothing was found. */
  readonly baseUrl: string;
  /** Empty when nothing was found. Secret. */
  readonly key: string;
  /** How the key is sent: the provider's own way, or as `Authorization: Bearer` where Anthropic's differs. */
  readonly auth: 'key' | 'bearer';
  readonly model: string;
  /** Headers that the operator adds or replaces; their values are secrets. */
  readonly headers: Readonly<Record<string, string>>;
  /** OpenAI organisation and project, when set. */
  readonly organization?: string;
  readonly project?: string;
  /** A subscription token is all there is. It is never put into a key slot, and this product has no use for it. */
  readonly onlySubscriptionToken: boolean;
  /** What in the environment could not be used, in words, without values. */
  readonly problems: readonly string[];
}

/** What differs between the users of the discovery. */
export interface DiscoveryVariant {
  /** Takes the place of whatever endpoint the environment names; only model and headers are then looked up. */
  readonly endpoint?: Pick<Credentials, 'provider' | 'baseUrl' | 'key'>;
  /** Model variables that come before all others. */
  readonly modelBefore?: readonly string[];
  /** Model variables that come just before the provider's default. */
  readonly modelAfter?: readonly string[];
  /** `OPENROUTER_API_KEY` counts, after the OpenAI rows and before the Anthropic ones, with this model as its default. */
  readonly openRouterModel?: string;
}

/** Discovery of the investigation agent (spec 07 B12, A13). */
export const INVESTIGATE_DISCOVERY: DiscoveryVariant = {
  modelBefore: ['INVESTIGATE_MODEL'],
  modelAfter: ['MODEL_NAME'],
  openRouterModel: 'deepseek/deepseek-chat-v3-0324',
};

const OPENAI_BASE = 'https://api.openai.com/v1';
const ANTHROPIC_BASE = 'https://api.anthropic.com';
const OPENROUTER_BASE = 'https://openrouter.ai/api/v1';
const DEFAULT_MODEL: Readonly<Record<Provider, string>> = {
  openai: 'gpt-5.6-sol',
  anthropic: 'claude-opus-5',
};
const MODEL_VARIABLES: Readonly<Record<Provider, readonly string[]>> = {
  openai: ['OPENAI_MODEL', 'CODEX_MODEL'],
  anthropic: ['ANTHROPIC_MODEL', 'CLAUDE_MODEL'],
};

type Found = Pick<Credentials, 'provider' | 'baseUrl' | 'key' | 'auth' | 'onlySubscriptionToken'> & {
  readonly isOpenRouter?: true;
};

/** Finds endpoint, key and model in an environment; first match wins (spec 05 B.2 and B.3, 01 §9.3). Pure. */
export function discoverCredentials(rawEnv: EnvRecord, variant: DiscoveryVariant = {}): Credentials {
  const env = withDeepSeek(rawEnv);
  const { isOpenRouter, ...found }: Found = variant.endpoint
    ? { auth: 'key', onlySubscriptionToken: false, ...variant.endpoint }
    : findEndpoint(env, variant);
  const variable = found.provider === 'openai' ? 'OPENAI_CUSTOM_HEADERS' : 'ANTHROPIC_CUSTOM_HEADERS';
  const custom = isOpenRouter ? undefined : parseCustomHeaders(env[variable] ?? '', env);
  const isOpenAi = found.provider === 'openai' && !isOpenRouter;
  const organization = isOpenAi ? firstSet(env, 'OPENAI_ORG_ID') : undefined;
  const project = isOpenAi ? firstSet(env, 'OPENAI_PROJECT_ID') : undefined;
  return {
    ...found,
    model: findModel(env, variant, found, isOpenRouter === true),
    headers: custom?.headers ?? {},
    ...(organization !== undefined && { organization }),
    ...(project !== undefined && { project }),
    problems: (custom?.problems ?? []).map((problem) => `${variable}: ${problem}`),
  };
}

function findEndpoint(env: EnvRecord, variant: DiscoveryVariant): Found {
  const openAiBase = firstSet(env, 'OPENAI_BASE_URL');
  const openAiKey = firstSet(env, 'OPENAI_API_KEY');
  if (openAiKey) return openai(openAiBase ?? OPENAI_BASE, openAiKey);

  const gatewayKey = firstSet(env, 'LLM_API_KEY', 'LLM_GATEWAY_KEY');
  if (openAiBase && gatewayKey) return openai(openAiBase, gatewayKey);

  const openRouterKey =
    variant.openRouterModel === undefined ? undefined : firstSet(env, 'OPENROUTER_API_KEY');
  if (openRouterKey) return { ...openai(OPENROUTER_BASE, openRouterKey), isOpenRouter: true };

  const anthropicBase = firstSet(env, 'ANTHROPIC_BASE_URL');
  const anthropicKey = firstSet(env, 'ANTHROPIC_API_KEY');
  if (anthropicKey) return anthropic(anthropicBase ?? ANTHROPIC_BASE, anthropicKey, 'key');
  const authToken = firstSet(env, 'ANTHROPIC_AUTH_TOKEN');
  if (authToken) return anthropic(anthropicBase ?? ANTHROPIC_BASE, authToken, 'bearer');

  if (firstSet(env, 'CLAUDE_CODE_OAUTH_TOKEN')) {
    return { ...anthropic(anthropicBase ?? '', '', 'key'), onlySubscriptionToken: true };
  }
  return openai('', '');
}

function openai(baseUrl: string, key: string): Found {
  return { provider: 'openai', baseUrl, key, auth: 'key', onlySubscriptionToken: false };
}

function anthropic(baseUrl: string, key: string, auth: Found['auth']): Found {
  return { provider: 'anthropic', baseUrl, key, auth, onlySubscriptionToken: false };
}

function findModel(env: EnvRecord, variant: DiscoveryVariant, found: Found, isOpenRouter: boolean): string {
  const named = firstSet(
    env,
    ...(variant.modelBefore ?? []),
    'ROBUSTNESS_LLM_MODEL',
    'LLM_MODEL',
    ...MODEL_VARIABLES[found.provider],
    ...(variant.modelAfter ?? []),
  );
  if (isOpenRouter) return (named ?? variant.openRouterModel ?? '').replace(/^openrouter\//, '');
  if (named) return named;
  return isDeepSeekHost(found.baseUrl) ? DEEPSEEK_MODEL : DEFAULT_MODEL[found.provider];
}
