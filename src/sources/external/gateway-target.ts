import { isLoopback, targetUrl } from '../network/target-url.js';
import { customHeaders } from './custom-headers.js';

type Env = Readonly<Record<string, string | undefined>>;

/** What is asked of the model gateway, and with which credentials. */
export interface GatewayTarget {
  readonly url: URL;
  readonly flavor: 'openai' | 'anthropic';
  readonly headers: Readonly<Record<string, string>>;
  /** True when a credential is sent. */
  readonly authenticated: boolean;
}

const ANTHROPIC_VERSION = '2023-06-01';

/**
 * The gateway to ask (spec 02 §5.18, §10.5): the override, else the OpenAI-style base URL, else the Anthropic one. A
 * credential goes to its own endpoint only, and never in the clear beyond this machine. Null when there is none.
 */
export function gatewayTarget(override: string, env: Env): GatewayTarget | null {
  const openai = baseUrl(env['OPENAI_BASE_URL']);
  const anthropic = baseUrl(env['ANTHROPIC_BASE_URL']);
  const own = override.trim() === '' ? null : baseUrl(override);
  if (override.trim() !== '') {
    if (own === null) return null;
    if (openai?.host === own.host) return target(own, 'openai', env);
    return anthropic?.host === own.host ? target(own, 'anthropic', env) : bare(own, 'openai');
  }
  if (openai) return target(withPath(openai, 'models'), 'openai', env);
  return anthropic ? target(anthropicModels(anthropic), 'anthropic', env) : null;
}

function baseUrl(raw: string | undefined): URL | null {
  const url = targetUrl(raw ?? '');
  if (!(url instanceof URL)) return null;
  url.hash = '';
  return url;
}

function withPath(base: URL, name: string): URL {
  const url = new URL(base);
  url.pathname = `${base.pathname.replace(/\/+$/, '')}/${name}`;
  return url;
}

/** `/v1/models`, without a second `/v1`. */
function anthropicModels(base: URL): URL {
  return /\/v1\/*$/.test(base.pathname) ? withPath(base, 'models') : withPath(base, 'v1/models');
}

function target(url: URL, flavor: GatewayTarget['flavor'], env: Env): GatewayTarget {
  const isPrivate = url.protocol === 'https:' || isLoopback(url);
  const headers = isPrivate ? (flavor === 'openai' ? openaiHeaders(env) : anthropicHeaders(env)) : null;
  return headers === null ? bare(url, flavor) : { url, flavor, headers, authenticated: true };
}

function bare(url: URL, flavor: GatewayTarget['flavor']): GatewayTarget {
  const headers = flavor === 'anthropic' ? { 'anthropic-version': ANTHROPIC_VERSION } : {};
  return { url, flavor, headers, authenticated: false };
}

function openaiHeaders(env: Env): Record<string, string> | null {
  const key = firstSet(env, ['OPENAI_API_KEY', 'LLM_GATEWAY_KEY']);
  if (key === null) return null;
  const custom = customHeaders(env['OPENAI_CUSTOM_HEADERS'], env);
  return 'authorization' in custom ? custom : { ...custom, ...legal('authorization', `Bearer ${key}`) };
}

function anthropicHeaders(env: Env): Record<string, string> | null {
  const key = firstSet(env, ['ANTHROPIC_API_KEY']);
  const token = firstSet(env, ['ANTHROPIC_AUTH_TOKEN']);
  if (key === null && token === null) return null;
  const custom: Record<string, string> = {
    'anthropic-version': ANTHROPIC_VERSION,
    ...customHeaders(env['ANTHROPIC_CUSTOM_HEADERS'], env),
  };
  if ('authorization' in custom || 'x-api-key' in custom) return custom;
  const own = key === null ? legal('authorization', `Bearer ${token}`) : legal('x-api-key', key);
  return { ...custom, ...own };
}

function firstSet(env: Env, names: readonly string[]): string | null {
  return names.map((name) => env[name]?.trim() ?? '').find((value) => value !== '') ?? null;
}

/** A key with a line break in it is no key; the client would refuse the whole request. */
function legal(name: string, value: string): Record<string, string> {
  return /^[\x20-\x7e]+$/.test(value) ? { [name]: value } : {};
}
