import { cleanText } from '../../foreign/hygiene.js';
import { finiteNumber, type JsonObject, objectOr, storedInteger } from '../../foreign/json.js';
import type { Collector, CollectorAnswer, CollectorEnv } from '../collector.js';
import type { SourcesConfig } from '../config.js';
import type { HttpFailure } from '../network/failure.js';
import { fetchHeaders, type HttpResponse } from '../network/fetch-headers.js';
import { type GatewayTarget, gatewayTarget } from './gateway-target.js';
import { proxyFor } from './proxy.js';
import { retryAfterS } from './retry-after.js';

const FLOOR_S = 0.5;
const OVERHEAD_MS = 300;
/** The gateway is billed and rate-limited: it is asked at most once in this time, s. */
const INTERVAL_S = 60;
/** Longest wait that a gateway can ask for, s. */
const MAX_RETRY_AFTER_S = 3600;

/** The model gateway that all agents depend on (spec 02 §5.18, §10.5). */
export const gatewayCollector: Collector = {
  names: ['gateway'],
  hostBound: false,
  needs: [],
  budgetMs: (config) => timeoutMs(config) + OVERHEAD_MS,
  disabled: (config) => (config.external_deps_enabled ? undefined : 'disabled'),
  whenUnknown: { local_external_deps: { gateway: {} } },
  async collect(env, signal): Promise<CollectorAnswer> {
    const target = gatewayTarget(env.config.external_gateway_probe_url, env.env);
    if (target === null) {
      const verdict = { status: 'empty', reason: 'missing', detail: 'no gateway URL' } as const;
      return { verdicts: { gateway: verdict }, slots: { local_external_deps: { gateway: {} } } };
    }
    const url = shownUrl(target.url);
    const before = objectOr(env.memory['gateway']);
    const known = repeatable(before, url, target, env.nowUnix);
    if (known)
      return { verdicts: { gateway: { status: 'ok' } }, slots: { local_external_deps: { gateway: known } } };

    const { external_gateway_use_proxy: useProxy } = env.config;
    const outcome = await fetchHeaders({
      url: target.url,
      headers: target.headers,
      timeoutMs: timeoutMs(env.config),
      signal,
      proxy: useProxy ? proxyFor(target.url, env.env) : undefined,
    });
    const result = gatewayResult(outcome, target, env);
    const fail_streak = isFailure(result) ? streakBefore(before, url) + 1 : 0;
    const gateway = { url, ...result, fail_streak };
    const { retry_after_s } = result;
    return {
      verdicts: { gateway: { status: 'ok' } },
      slots: { local_external_deps: { gateway } },
      memory: {
        gateway: {
          sampled_unix: env.nowUnix,
          result: gateway,
          not_before_unix:
            retry_after_s === null ? null : env.nowUnix + Math.min(retry_after_s, MAX_RETRY_AFTER_S),
        },
      },
    };
  },
};

function timeoutMs(config: SourcesConfig): number {
  return Math.max(FLOOR_S, config.health_probe_timeout_s) * 1000;
}

/** The last result, while it is too early to ask again and the question is still the same. */
function repeatable(
  before: JsonObject,
  url: string,
  target: GatewayTarget,
  nowUnix: number,
): JsonObject | undefined {
  const sampled = finiteNumber(before['sampled_unix']);
  const result = objectOr(before['result']);
  const isSame = result['url'] === url && result['authenticated'] === target.authenticated;
  if (sampled === undefined || sampled > nowUnix || !isSame) return undefined;
  const notBefore = finiteNumber(before['not_before_unix']) ?? 0;
  const isEarly =
    nowUnix - sampled < INTERVAL_S || (nowUnix < notBefore && notBefore - sampled <= MAX_RETRY_AFTER_S);
  return isEarly ? result : undefined;
}

function streakBefore(before: JsonObject, url: string): number {
  const result = objectOr(before['result']);
  return result['url'] === url ? Math.max(0, storedInteger(result['fail_streak'], 0)) : 0;
}

type GatewayResult = {
  readonly reachable: boolean;
  readonly status: 'ok' | 'unauthorized' | 'http_error' | 'server_error' | 'error' | 'unauthenticated_probe';
  readonly status_code?: number;
  readonly error?: string;
  readonly sampled_unix: number;
  readonly retry_after_s: number | null;
  readonly flavor: GatewayTarget['flavor'];
  readonly authenticated: boolean;
};

function gatewayResult(
  outcome: HttpResponse | HttpFailure,
  { flavor, authenticated }: GatewayTarget,
  { nowUnix }: CollectorEnv,
): GatewayResult {
  const common = { sampled_unix: nowUnix, flavor, authenticated };
  if (outcome.kind === 'failed') {
    return { reachable: false, status: 'error', error: outcome.error, retry_after_s: null, ...common };
  }
  const { statusCode, retryAfter } = outcome;
  const retry_after_s = retryAfterS(retryAfter, nowUnix);
  // Without a credential a refusal proves nothing, and rules would fire on the bare code.
  if (!authenticated && (statusCode === 401 || statusCode === 403)) {
    return {
      reachable: true,
      status: 'unauthenticated_probe',
      error: String(statusCode),
      retry_after_s,
      ...common,
    };
  }
  const isDown = statusCode >= 500;
  return {
    reachable: !isDown,
    status: statusName(statusCode),
    status_code: statusCode,
    retry_after_s,
    ...common,
  };
}

function statusName(code: number): GatewayResult['status'] {
  if (code === 401) return 'unauthorized';
  if (code < 400) return 'ok';
  return code < 500 ? 'http_error' : 'server_error';
}

/** What counts toward the streak; a 403 does not, because it is normal for keys with few rights. */
function isFailure({ status }: GatewayResult): boolean {
  return status === 'error' || status === 'server_error' || status === 'unauthorized';
}

/** Without user info, query and fragment. */
function shownUrl(url: URL): string {
  return cleanText(`${url.origin}${url.pathname}`, 500);
}
