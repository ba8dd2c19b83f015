import { type EnvRecord, firstSet } from './env-view.js';

/** What a single-vendor gateway is asked for when no variable names a model. */
export const DEEPSEEK_MODEL = 'deepseek-v4-pro';

const HOST = 'api.deepseek.com';

/**
 * The environment as if the retired DeepSeek variables had been spelled in today's (spec 05 B.2, 01 §9.3): a private copy
 * in which only unset variables are filled. Without DeepSeek variables, or beside any Anthropic setting, the same record.
 */
export function withDeepSeek(env: EnvRecord): EnvRecord {
  const key = firstSet(env, 'DEEPSEEK_API_KEY');
  const base = firstSet(env, 'DEEPSEEK_BASE_URL');
  const isUsed = key !== undefined || base !== undefined;
  const hasAnthropic = firstSet(
    env,
    'ANTHROPIC_BASE_URL',
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_AUTH_TOKEN',
    'CLAUDE_CODE_OAUTH_TOKEN',
  );
  if (!isUsed || hasAnthropic !== undefined) return env;

  const model = firstSet(env, 'DEEPSEEK_MODEL') ?? DEEPSEEK_MODEL;
  const urls = urlPair(base ?? '');
  const anthropic = {
    ANTHROPIC_BASE_URL: urls.anthropic,
    CLAUDE_MODEL: model,
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_AUTH_TOKEN: key,
  };
  const openai = { OPENAI_BASE_URL: urls.openai, CODEX_MODEL: model, OPENAI_API_KEY: key };
  const hasOpenAi = firstSet(env, 'OPENAI_BASE_URL', 'OPENAI_API_KEY') !== undefined;
  return fillUnset(env, hasOpenAi ? anthropic : { ...anthropic, ...openai });
}

/** True for the vendor's own host, which serves none of the models that the providers' defaults name. */
export function isDeepSeekHost(baseUrl: string): boolean {
  return URL.canParse(baseUrl) && new URL(baseUrl).hostname === HOST;
}

function fillUnset(env: EnvRecord, values: EnvRecord): EnvRecord {
  const unset = Object.entries(values).filter(([name]) => firstSet(env, name) === undefined);
  return { ...env, ...Object.fromEntries(unset) };
}

interface UrlPair {
  readonly anthropic: string;
  readonly openai: string;
}

function urlPair(given: string): UrlPair {
  const base = given.replace(/\/+$/, '');
  if (base === '') return { anthropic: `https://${HOST}/anthropic`, openai: `https://${HOST}/v1` };
  const lower = base.toLowerCase();
  if (lower.endsWith('/anthropic'))
    return { anthropic: base, openai: `${base.slice(0, -'/anthropic'.length)}/v1` };
  if (lower.endsWith('/v1')) return { anthropic: `${base.slice(0, -'/v1'.length)}/anthropic`, openai: base };
  if (isDeepSeekHost(base)) return { anthropic: `${base}/anthropic`, openai: `${base}/v1` };
  return { anthropic: base, openai: `${base}/v1` };
}
